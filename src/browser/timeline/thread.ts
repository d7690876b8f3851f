import { thread } from '../documents.ts'
import { element } from '../dom.ts'
import { run } from '../graphql.ts'
import { drawDeleted, drawItem } from './item.ts'
import { nextAfter, type View } from './view.ts'

/** The whole thread of a post or a reply, as a tree. */
export function threadOf(uuid: string): View {
  const tree = element('div', { className: 'thread' })
  /** Replies whose parents are not shown yet, with these parents. */
  const waiting = new Map<string, string>()
  const find = (uuid: string) => tree.querySelector(`[id="${uuid}"]`)

  function add(uuid: string, parentUuid: string | null, draw: () => Node): void {
    if (!find(uuid)) tree.append(draw())
    if (parentUuid) waiting.set(uuid, parentUuid)
  }
  function arrange(): void {
    for (const [uuid, parentUuid] of waiting) {
      const reply = find(uuid)
      const below = find(parentUuid)?.querySelector(':scope > .replies')
      if (!reply || !below) continue
      // A thread is in the order of its UUIDs, and what was asked for may be shown before what is older.
      below.insertBefore(reply, [...below.children].find(({ id }) => id > uuid) ?? null)
      waiting.delete(uuid)
    }
  }

  return {
    title: 'Thread',
    empty: '',
    query: thread,
    variables: { uuid },
    rest: { operation: 'Posts/getPostThread', path: `/post/${uuid}/thread/1` },
    load: async (after) => {
      const { post } = await run(thread, { uuid, after, first: after === null })
      if (!post) throw new Error('There is no such post, or it was deleted.')
      const { nodes, places, pageInfo } = post.thread
      const path = [...(post.ancestors ?? []).filter((ancestor) => ancestor !== null), post]
      for (const item of [...path, ...nodes]) {
        add(item.uuid, 'parentUuid' in item ? item.parentUuid : null, () => drawItem(item))
      }
      for (const place of places) add(place.uuid, place.parentUuid, () => drawDeleted(place.uuid))
      arrange()
      const asked = find(post.uuid)
      if (asked && after === null && 'parentUuid' in post) asked.ariaCurrent = 'true'
      return { head: [], items: [tree], next: nextAfter(pageInfo) }
    },
  }
}
