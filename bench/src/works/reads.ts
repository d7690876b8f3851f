import type { Sample } from '../database/sample.ts'
import { operation } from './dialect.ts'
import { author, following, fromBottom, listOf, postFields, postObject } from './floor-sql.ts'
import type { Call, GraphQLWork, RestWork, Work } from './work.ts'

/** Each viewer in turn with each of the others in turn. */
function callsAbout({ viewers }: Sample, uuids: readonly string[]): Call[] {
  return uuids.flatMap((uuid, at) => {
    const viewer = viewers[at % viewers.length]
    return viewer ? [{ viewer, variables: { uuid } }] : []
  })
}

/** One publication with its author. */
export function postWorks(sample: Sample): Work[] {
  const calls = callsAbout(sample, sample.publications)
  return [
    {
      surface: 'graphql',
      name: 'post',
      about: 'Get post',
      calls,
      document: (d) =>
        operation(
          'query',
          'Post',
          { uuid: 'UUID!' },
          `${d.post} { ${d.uuid} content createdAt replyCount likeCount ${d.liked}
            ${d.author} { ${d.uuid} username displayName ${d.following} } }`,
        ),
      floor: {
        sql: `select json_build_object('data', json_build_object('post', (
          select json_build_object(${postFields('p')}, 'author', ${author('p', true)})
          from publications p where p.id = $2::uuid and p.deleted_at is null)))::text as json`,
        values: ['uuid'],
      },
    },
    {
      surface: 'rest',
      name: 'post-rest',
      about: 'Get post, REST',
      calls,
      request: ({ uuid }) => ({ method: 'GET', path: `/post/${uuid}` }),
      floor: {
        sql: `select ${postObject('p')}::text as json from publications p where p.id = $2::uuid and p.deleted_at is null`,
        values: ['uuid'],
      },
    },
  ]
}

const newestPosts = `select * from publications p where p.author_id = u.id and p.parent_id is null and p.deleted_at is null
  order by p.id desc limit 20`

/** A user with 20 posts. */
export function profileWorks(sample: Sample): Work[] {
  const calls = callsAbout(sample, sample.authors)
  return [
    {
      surface: 'graphql',
      name: 'profile',
      about: 'Profile with 20 posts',
      calls,
      document: (d) =>
        operation(
          'query',
          'Profile',
          { uuid: 'UUID!' },
          `${d.user} { ${d.uuid} username displayName bio followerCount followingCount joinedAt ${d.following}
            ${d.posts(20)} { nodes { ${d.uuid} content createdAt replyCount likeCount ${d.liked} } } }`,
        ),
      floor: {
        sql: `select json_build_object('data', json_build_object('user', (
          select json_build_object('uuid', u.id, 'username', u.username, 'displayName', u.display_name, 'bio', u.bio,
            'followerCount', u.follower_count, 'followingCount', u.following_count, 'joinedAt', u.joined_at,
            'viewerIsFollowing', ${following('u')}, 'posts', json_build_object('nodes',
              ${listOf(`json_build_object(${postFields('p')})`, newestPosts, 'p.id desc')}))
          from users u where u.id = $2::uuid)))::text as json`,
        values: ['uuid'],
      },
    },
    {
      surface: 'rest',
      name: 'profile-rest',
      about: 'First page of a user’s posts, REST',
      calls,
      request: ({ uuid }) => ({ method: 'GET', path: `/user/${uuid}/posts/1` }),
      floor: {
        sql: `select json_build_object('user', u.id, 'posts', ${listOf(postObject('p'), newestPosts, 'p.id desc')})::text as json
          from users u where u.id = $2::uuid`,
        values: ['uuid'],
      },
    },
  ]
}

const places = ['first', 'middle', 'last'] as const
const restPage = 5

function keysetPage(sample: Sample, place: (typeof places)[number]): GraphQLWork {
  return {
    surface: 'graphql',
    name: `replies-${place}`,
    about: `Wide thread, ${place} page of 20 replies by cursor`,
    calls: sample.viewers.flatMap((viewer, at) => {
      const thread = sample.threads[at % sample.threads.length]
      return thread ? [{ viewer, variables: { uuid: thread.id, after: place === 'first' ? null : thread[place] } }] : []
    }),
    list: 'replies',
    document: (d) =>
      operation(
        'query',
        'Replies',
        { uuid: 'UUID!', after: d.cursor },
        `${d.post} { ${d.uuid} replyCount ${d.replies(20, true)} {
          nodes { ${d.uuid} content createdAt likeCount ${d.liked} ${d.author} { ${d.uuid} username displayName } }
          pageInfo { hasNextPage endCursor } } }`,
      ),
    floor: {
      sql: `with page as materialized (select * from publications p where p.parent_id = $2::uuid and p.deleted_at is null
          and p.id > ${fromBottom('$3')} order by p.id limit 21)
        select json_build_object('data', json_build_object('post', (
          select json_build_object('uuid', t.id, 'replyCount', t.reply_count, 'replies', json_build_object('nodes',
            ${listOf(
              `json_build_object('uuid', p.id, 'content', p.content, 'createdAt', p.created_at, 'likeCount', p.like_count,
                'viewerHasLiked', exists (select from likes l where l.publication_id = p.id and l.user_id = $1::uuid),
                'author', ${author('p', false)})`,
              'select * from page limit 20',
              'p.id',
            )}, 'pageInfo', json_build_object('hasNextPage', (select count(*) > 20 from page),
              'endCursor', (select id from (select id from page limit 20) p order by id desc limit 1))))
          from publications t where t.id = $2::uuid and t.deleted_at is null)))::text as json`,
      values: ['uuid', 'after'],
    },
  }
}

function numberedPage(sample: Sample, place: (typeof places)[number]): RestWork {
  const pageOf = (count: number) => {
    const pages = Math.max(1, Math.ceil(count / restPage))
    return { first: 1, middle: Math.ceil(pages / 2), last: pages }[place]
  }
  return {
    surface: 'rest',
    name: `replies-rest-${place}`,
    about: `Wide thread, ${place} page of 5 replies by number, REST`,
    calls: sample.viewers.flatMap((viewer, at) => {
      const thread = sample.threads[at % sample.threads.length]
      if (!thread) return []
      const page = pageOf(thread.count)
      return [{ viewer, variables: { uuid: thread.id, page, offset: (page - 1) * restPage } }]
    }),
    request: ({ uuid, page }) => ({ method: 'GET', path: `/post/${uuid}/replies/${page}` }),
    floor: {
      sql: `select json_build_object('post', ${postObject('t')}, 'replies', ${listOf(
        postObject('p'),
        `select p.* from (select id from publications r where r.parent_id = $2::uuid and r.deleted_at is null
          order by r.id limit ${restPage} offset $3::int) page join publications p on p.id = page.id`,
        'p.id',
      )})::text as json from publications t where t.id = $2::uuid and t.deleted_at is null`,
      values: ['uuid', 'offset'],
    },
  }
}

/** Pages of the replies of a post that has very many: by cursor over GraphQL, by number over REST. */
export function repliesWorks(sample: Sample): Work[] {
  return [...places.map((place) => keysetPage(sample, place)), ...places.map((place) => numberedPage(sample, place))]
}
