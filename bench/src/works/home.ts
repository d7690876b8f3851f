import type { Sample, Viewer } from '../database/sample.ts'
import { type Dialect, operation } from './dialect.ts'
import { author, fromTop, homeIds, listOf, postFields } from './floor-sql.ts'
import type { Call, FloorStatement, GraphQLWork } from './work.ts'

const replyFields = (d: Dialect) => `${d.uuid} content createdAt ${d.author} { ${d.uuid} username displayName }`

const nestedPost = (d: Dialect) => `${d.uuid} content createdAt replyCount likeCount ${d.liked}
  ${d.author} { ${d.uuid} username displayName ${d.following} }
  ${d.replies(3)} { nodes { ${replyFields(d)} } }`

const homeDocument = (d: Dialect) =>
  operation('query', 'Home', { after: d.homeCursor }, `${d.home(false)} { nodes { ${nestedPost(d)} } }`)

const nestedPostJson = `json_build_object(${postFields('p')}, 'author', ${author('p', true)}, 'replies', json_build_object('nodes',
  (select coalesce(json_agg(json_build_object('uuid', r.id, 'content', r.content, 'createdAt', r.created_at,
    'author', ${author('r', false)}) order by r.id), '[]')
  from (select * from publications r where r.parent_id = p.id and r.deleted_at is null order by r.id limit 3) r)))`

const homePosts = (size: number) =>
  `select p.* from (${homeIds(fromTop('$2'), size)}) home join publications p on p.id = home.id`

const homeFloor: FloorStatement = {
  sql: `select json_build_object('data', json_build_object('homeTimeline', json_build_object('nodes',
    ${listOf(nestedPostJson, homePosts(20), 'p.id desc')})))::text as json`,
  values: ['after'],
}

const firstPage = (viewer: Viewer): Call => ({ viewer, variables: { after: null } })

/** The nested home timeline: 20 posts with author, the viewer's flags, counters, and 3 replies each with author. */
export function homeWorks({ viewers }: Sample): GraphQLWork[] {
  const calls = viewers.map(firstPage)
  const home = { surface: 'graphql', calls, list: 'home', floor: homeFloor, document: homeDocument } as const
  return [
    { ...home, name: 'home', about: 'Home timeline: 20 posts, author, flags, counters, 3 replies with author' },
    {
      ...home,
      name: 'home-edges',
      about: 'The same as `edges` with `cursor` and `pageInfo`',
      document: (d) =>
        operation(
          'query',
          'HomeEdges',
          { after: d.homeCursor },
          `${d.home(true)} { edges { cursor node { ${nestedPost(d)} } } pageInfo { hasNextPage endCursor } }`,
        ),
      floor: {
        sql: `with page as materialized (${homePosts(21)} order by p.id desc)
          select json_build_object('data', json_build_object('homeTimeline', json_build_object(
            'edges', ${listOf(`json_build_object('cursor', p.id, 'node', ${nestedPostJson})`, 'select * from page limit 20', 'p.id desc')},
            'pageInfo', json_build_object('hasNextPage', (select count(*) > 20 from page),
              'endCursor', (select id from (select id from page limit 20) p order by id limit 1)))))::text as json`,
        values: ['after'],
      },
    },
    {
      ...home,
      name: 'home-new-document',
      about: 'The same as `home`, with a document that was never seen before',
      fresh: true,
      document: (d, nth) => {
        const root = d.home(false).replace(/^(\w+: )?/, `home_${nth}: `)
        return operation('query', 'Home', { after: d.homeCursor }, `${root} { nodes { ${nestedPost(d)} } }`)
      },
    },
  ]
}

/** The home timeline of viewers who follow more and more accounts. */
export function timelineWorks({ readers }: Sample): GraphQLWork[] {
  return readers.map(({ name, viewers }) => ({
    surface: 'graphql',
    name: `follows-${name}`,
    about: `Home timeline, following ${name.replace('-quiet', ' that have been quiet for long')}`,
    calls: viewers.map(firstPage),
    list: 'home',
    document: homeDocument,
    floor: homeFloor,
    kinds: ['floor', 'duties', 'rookery', 'postgraphile-argument'],
  }))
}

/** Three levels of lists: timeline, the authors' posts, their replies. */
export function levelsWork({ viewers }: Sample): GraphQLWork {
  return {
    surface: 'graphql',
    name: 'three-levels',
    about: 'Timeline → author → 5 posts → 2 replies → author',
    calls: viewers.map(firstPage),
    list: 'home',
    document: (d) =>
      operation(
        'query',
        'Levels',
        { after: d.homeCursor },
        `${d.home(false)} { nodes { ${d.uuid} content ${d.author} { ${d.uuid} username
          ${d.posts(5)} { nodes { ${d.uuid} content
            ${d.replies(2)} { nodes { ${d.uuid} content ${d.author} { ${d.uuid} username } } } } } } } }`,
      ),
    floor: {
      sql: `select json_build_object('data', json_build_object('homeTimeline', json_build_object('nodes',
        ${listOf(
          `json_build_object('uuid', p.id, 'content', p.content, 'author', (
            select json_build_object('uuid', u.id, 'username', u.username, 'posts', json_build_object('nodes', (
              select coalesce(json_agg(json_build_object('uuid', o.id, 'content', o.content, 'replies', json_build_object('nodes', (
                select coalesce(json_agg(json_build_object('uuid', r.id, 'content', r.content, 'author', (
                  select json_build_object('uuid', a.id, 'username', a.username) from users a where a.id = r.author_id))
                  order by r.id), '[]')
                from (select * from publications r where r.parent_id = o.id and r.deleted_at is null order by r.id limit 2) r)))
                order by o.id desc), '[]')
              from (select * from publications o where o.author_id = u.id and o.parent_id is null and o.deleted_at is null
                order by o.id desc limit 5) o)))
            from users u where u.id = p.author_id))`,
          homePosts(20),
          'p.id desc',
        )})))::text as json`,
      values: ['after'],
    },
  }
}
