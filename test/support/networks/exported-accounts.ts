import { v7 as newId } from 'uuid'
import { follows, hidesBoth, likes, relationsTo } from '../../../src/features/base/relations.ts'
import type { Person, TestApp } from '../app.ts'
import { makeApplication } from '../graphql/access-tokens.ts'
import { mutate } from '../graphql/mutate.ts'
import { publish } from '../graphql/publish.ts'
import { setRelation } from '../graphql/relations.ts'

/** A UUID with a time this many seconds from now. */
export const at = (seconds: number) => newId({ msecs: Date.now() + seconds * 1_000 })

/** Fills the accounts of Robin, Wren and Finch with what an export has. */
export async function fillAccounts(app: TestApp, { token }: Person, [wren, finch]: readonly Person[]): Promise<void> {
  if (!wren || !finch) return
  const robin = { token, id: '', username: 'robin' }
  const loom = await makeApplication(app, token, { name: 'Loom', website: 'https://loom.example/' })
  const owner = await app.database.write.prisma.user.findFirstOrThrow({ where: { username: 'robin' } })
  const ofLoom = await app.token({ ...robin, id: owner.id }, ['post.get', 'post.send'], { applicationId: loom })
  await mutate(
    app,
    robin,
    'updateProfile',
    {
      displayName: 'Robin 👩‍💻',
      bio: 'Line one\nline two',
      language: 'en-GB',
      readingLanguages: ['en', 'nl'],
    },
    'viewer { uuid }',
  )
  await publish(
    app,
    { token: ofLoom },
    { content: 'From #Loom, for @wren and @nobody: "quoted" \\ 😀 \u2028\u2029\u0085' },
  )
  const parent = await publish(app, robin, { content: '😀'.repeat(500), uuid: at(30) })
  // Older than its parent, as is the reply to it.
  const reply = await publish(app, robin, { parent, uuid: at(-3_600), content: 'A reply' })
  await publish(app, robin, { parent: reply, uuid: at(-7_200), content: 'A reply to a reply' })
  const post = await publish(app, wren, { content: 'Of Wren' })
  await publish(app, robin, { parent: post, locked: true })
  await mutate(app, robin, 'updatePost', { uuid: parent, content: 'Edited #tag', locked: true }, 'publication { uuid }')
  const talk = await publish(app, robin, { content: 'Only for @wren', audience: 'ADDRESSED' })
  await publish(app, robin, {
    content: 'Also for @wren',
    parent: talk,
    language: 'nl',
    warning: 'Two\nlines: #tag, @wren 😀',
  })
  await publish(app, robin, { content: 'For followers', parent: post, audience: 'FOLLOWERS' })
  const gone = await publish(app, robin)
  await setRelation(app, robin, likes, gone)
  await mutate(app, robin, 'deletePost', { uuid: gone }, 'publication { uuid }')
  for (const relation of relationsTo('publication'))
    for (const it of [post, reply]) await setRelation(app, robin, relation, it)
  for (const relation of relationsTo('user'))
    await setRelation(app, robin, relation, (hidesBoth(relation) ? finch : wren).id)
  await setRelation(app, wren, follows, owner.id)
  await publish(app, finch, { content: 'Of Finch, for everybody' })
  await mutate(app, finch, 'updateProfile', { isPrivate: true }, 'viewer { uuid }')
}
