import { answerFollowRequest, followRequests, type User } from '../documents.ts'
import { attempt, element } from '../dom.ts'
import { run } from '../graphql.ts'
import { nameControl } from './controls.ts'
import { drawAuthor } from './item.ts'
import { nextAfter, type View } from './view.ts'

/** Draws the buttons that answer the request of an account to follow the reader. */
export function drawAnswers({ uuid, username }: Pick<User, 'uuid' | 'username'>): HTMLElement {
  const line = element('span', { className: 'answers' })
  const draw = (text: string, accepted: boolean) => {
    const button = element('button', { className: accepted ? 'main' : '' }, text)
    nameControl(button, `${text} @${username}`)
    button.onclick = () =>
      attempt(button, async () => {
        await run(answerFollowRequest, { input: { uuid, accepted } })
        const done = element('span', { tabIndex: -1 }, accepted ? 'Accepted' : 'Declined')
        line.replaceChildren(done)
        done.focus()
      })
    return button
  }
  line.append(draw('Accept', true), draw('Decline', false))
  return line
}

/** The accounts that ask to follow the reader. */
export const requested: View = {
  title: 'Follow requests',
  empty: 'Nobody is asking to follow you.',
  query: followRequests,
  variables: {},
  rest: { operation: 'Users/getFollowRequests', path: '/user/{user}/requests/1' },
  load: async (after) => {
    const page = (await run(followRequests, { after })).viewer?.followRequests
    if (!page) return { head: [], items: [], next: null }
    const items = page.nodes.map((user) =>
      element('article', { className: 'card request', tabIndex: -1 }, drawAuthor(user), drawAnswers(user)),
    )
    return { head: [], items, next: nextAfter(page.pageInfo) }
  },
}
