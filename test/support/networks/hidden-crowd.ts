import { v7 as newId } from 'uuid'
import { hashtagIn } from '../../../src/features/base/entities.ts'
import { maxFollowing, relationsTo } from '../../../src/features/base/relations.ts'
import { vectorOf } from '../../../src/features/base/words.ts'
import type { Person, TestApp } from '../app.ts'
import { publish } from '../graphql/publish.ts'
import { cursorOf } from '../reference/pages.ts'

/** Ada, from whom a crowd is hidden, a star whom that follows, a post of each, and a reply in the crowd's thread that Ada sees. */
export type Crowd = {
  readonly ada: Person
  readonly star: Person
  readonly root: string
  readonly own: string
  readonly reply: string
  readonly change: string
}

/** The id of the n-th row of a kind. What begins with 00 is older than all that the app makes, and what begins with 02 is newer. */
const id = (kind: number, first: string) =>
  `('${first}' || lpad(to_hex(n), 6, '0') || '-0000-7000-8000-${kind.toString().padStart(12, '0')}')::uuid`

/**
 * Creates so many accounts that Ada blocks, and once muted, who come first in every list with what they did, before two rows of two
 * others. What they did to her is unread.
 */
export async function hiddenCrowd(app: TestApp, size: number): Promise<Crowd> {
  const [ada, star] = [await app.person('ada'), await app.person('star')]
  const root = await publish(app, star)
  const tag = { id: '', name: '', ...hashtagIn('loud') }
  const { prisma } = app.database.write
  // Not over the API, which would note who is hidden from Ada now.
  const { id: own } = await prisma.publication.create({ data: { id: newId(), authorId: ada.id, content: 'Hello' } })
  await prisma.$executeRaw`select add_change('PUBLISHED', ${ada.id}::uuid, ${own}::uuid, null)::text`
  await prisma.hashtag.create({ data: { ...tag, publicationCount: size } })
  const shown = [await app.person(), await app.person()]
  const quiet = [await app.person(), await app.person()]
  const posts = await Promise.all(shown.map((person) => publish(app, person)))
  const [reply = ''] = await Promise.all(shown.map((person) => publish(app, person, { parent: root })))
  const first = await prisma.change.findFirstOrThrow({ orderBy: { id: 'asc' } })
  const [newest, toStar, toAda, user] = [id(0, '02'), id(1, '00'), id(3, '02'), id(2, '01')]
  const all = `from generate_series(1, ${size}) n`
  const key = 'notification_key()'
  const words = vectorOf('Loud')
  const relation = (table: string, first: string, from: string, to: string, ends: string, more = '', values = '') =>
    `insert into ${table} (id, ${from}, ${to}${more}) select ${id(0, first)}, ${ends}${values} ${all}`
  const reported = 'insert into reports (id, subject_id, user_id, username, display_name, content, reason)'
  await prisma.$transaction(
    async (transaction) => {
      const run = (text: string) => transaction.$executeRawUnsafe(text)
      await run('set local session_replication_role = replica')
      await run('set local statement_timeout = 0')
      await run(
        `insert into moderation_acts (id, action, subject_id, user_id, username) select ${newest}, ` +
          `'PUBLICATION_REMOVED', '${own}', '${ada.id}', 'ada' ${all}`,
      )
      await run(
        `insert into users (id, username, display_name, email, name_tokens) select ${user}, 'loud' || n, ` +
          `'Loud', 'l@example.org', $$${words}$$ ${all}`,
      )
      await run(
        `insert into publications (id, author_id, root_id, content, tokens) select ${newest}, ${user}, ` +
          `${newest}, 'Loud', $$${words}$$ ${all}`,
      )
      for (const [ids, parent, author] of [
        [toStar, root, star],
        [toAda, own, ada],
      ] as const)
        await run(
          `insert into publications (id, author_id, parent_id, root_id, content, parent_author_id, notice_key)
           select ${ids}, ${user}, '${parent}', '${parent}', 'Loud', '${author.id}', ${key} ${all}`,
        )
      await run(
        'insert into hashtag_uses (publication_id, hashtag_id, range_start, range_end, is_listed) select ' +
          `${newest}, '${tag.id}', 0, 5, true ${all}`,
      )
      await run(
        'insert into mentions (publication_id, user_id, range_start, range_end, notice_key) select ' +
          `${newest}, '${ada.id}', 0, 1, ${key} ${all}`,
      )
      for (const { table, actorColumn, objectColumn, actors, notification } of relationsTo('publication')) {
        const ofOne = (first: string, publication: string, more = '', values = '') =>
          run(relation(table, first, objectColumn, actorColumn, `'${publication}', ${user}`, more, values))
        if (actors) await ofOne('02', root)
        if (notification) await ofOne('05', own, ', author_id, notice_key', `, '${ada.id}', ${key}`)
        await run(relation(table, '04', actorColumn, objectColumn, `'${ada.id}', ${newest}`))
      }
      await run(relation('follows', '02', 'followee_id', 'follower_id', `'${star.id}', ${user}`))
      await run(relation('follows', '03', 'follower_id', 'followee_id', `'${star.id}', ${user}`))
      await run(
        relation('follows', '05', 'followee_id', 'follower_id', `'${ada.id}', ${user}`, ', notice_key', `, ${key}`),
      )
      await run(
        `${relation('follows', '06', 'follower_id', 'followee_id', `'${ada.id}', ${user}`)} limit ${maxFollowing}`,
      )
      await run(relation('blocks', '02', 'blocker_id', 'blocked_id', `'${ada.id}', ${user}`))
      await run(`insert into blocked_pairs (viewer_id, hidden_id) select '${ada.id}', ${user} ${all}`)
      await run(
        `insert into mutes (id, muter_id, muted_id, until) select ${newest}, '${ada.id}', ${user}, now() ${all}`,
      )
      await run(`${reported} select ${newest}, '${ada.id}', '${ada.id}', 'ada', 'Ada', '', 'SPAM' ${all}`)
      await run(
        `insert into changes (kind, actor_id, publication_id, root_id) select 'PUBLISHED', ${user}, ${newest}, ${newest} ${all}`,
      )
      await run(`insert into applications (id, owner_id, name) select ${newest}, '${ada.id}', 'Loud' ${all} limit 900`)
      await run(
        `insert into access_tokens (id, user_id, name, scopes, hash) select ${newest}, '${ada.id}', 'Loud', ` +
          `'{}', sha256(n::text::bytea) ${all} limit 900`,
      )
      for (const person of shown) {
        const one = newId()
        for (const { table, actorColumn, objectColumn, actors } of relationsTo('publication'))
          if (actors)
            await run(
              `insert into ${table} (id, ${objectColumn}, ${actorColumn}) values ('${one}', '${root}', '${person.id}')`,
            )
        await run(
          `insert into follows (id, follower_id, followee_id) values ('${one}', '${person.id}', '${star.id}'), ` +
            `('${newId()}', '${star.id}', '${person.id}')`,
        )
        await run(`insert into mutes (id, muter_id, muted_id) values ('${one}', '${ada.id}', '${quiet.pop()?.id}')`)
        await run(`${reported} values ('${one}', '${person.id}', '${person.id}', 'x', 'X', '', 'SPAM')`)
      }
      for (const post of posts) {
        await run(
          'insert into hashtag_uses (publication_id, hashtag_id, range_start, range_end, is_listed) values ' +
            `('${post}', '${tag.id}', 0, 5, true)`,
        )
        for (const { table, actorColumn, objectColumn } of relationsTo('publication'))
          await run(
            `insert into ${table} (id, ${objectColumn}, ${actorColumn}) values ('${newId()}', '${post}', '${ada.id}')`,
          )
      }
    },
    { timeout: 110_000 },
  )
  await prisma.$executeRaw`vacuum analyze`
  return { ada, star, root, own, reply, change: cursorOf(first.id) }
}
