import type { Sample } from '../database/sample.ts'
import { operation } from './dialect.ts'
import { author, postFields, postObject } from './floor-sql.ts'
import type { Work } from './work.ts'

/** How the text of every post that is sent for measuring begins. */
export const sentText = 'Sent to be measured'

/** Likes and unlikes in turn, of publications that the viewer does not like. */
export function likeWorks({ unliked }: Sample): Work[] {
  const calls = unliked.map(({ viewer, publication: uuid }) => ({ viewer, variables: { uuid } }))
  return [
    {
      surface: 'graphql',
      name: 'like',
      about: 'Like toggle',
      calls,
      leaves: 'likes',
      document: (d) =>
        operation('mutation', 'Like', { uuid: 'UUID!' }, `${d.toggleLike} { ${d.sent} { ${d.likeFields} } }`),
      floor: {
        sql: `select json_build_object('data', json_build_object('toggleLike', json_build_object('publication', (
          select json_build_object('uuid', p.uuid, 'likeCount', p.like_count, 'viewerHasLiked', p.viewer_has_liked)
          from toggle_like_for($1::uuid, $2::uuid) p))))::text as json`,
        values: ['uuid'],
      },
    },
    {
      surface: 'rest',
      name: 'like-rest',
      about: 'Like toggle, REST',
      calls,
      leaves: 'likes',
      request: ({ uuid }) => ({ method: 'POST', path: `/post/${uuid}/like` }),
      floor: {
        sql:
          `select json_build_object('action', set_like(bench_uuid_v7(), $1::uuid, $2::uuid, null, true, true), ` +
          `'uuid', $2::uuid)::text as json`,
        values: ['uuid'],
      },
    },
  ]
}

/** Sends a post. */
export function sendWorks({ viewers }: Sample): Work[] {
  const calls = viewers.map((viewer, at) => ({ viewer, variables: { content: `${sentText}, by viewer ${at}.` } }))
  const sent = 'with p as (select * from send_post_for($1::uuid, $2::text))'
  return [
    {
      surface: 'graphql',
      name: 'send',
      about: 'Send post',
      calls,
      leaves: 'posts',
      ignored: ['uuid', 'createdAt'],
      document: (d) =>
        operation(
          'mutation',
          'Send',
          { content: 'String!' },
          `${d.sendPost} { ${d.sent} { ${d.uuid} content createdAt replyCount likeCount ${d.liked}
            ${d.author} { ${d.uuid} username displayName ${d.following} } } }`,
        ),
      floor: {
        sql: `${sent} select json_build_object('data', json_build_object('sendPost', json_build_object('publication',
          json_build_object(${postFields('p')}, 'author', ${author('p', true)}))))::text as json from p`,
        values: ['content'],
      },
    },
    {
      surface: 'rest',
      name: 'send-rest',
      about: 'Send post, REST',
      calls,
      leaves: 'posts',
      ignored: ['uuid', 'created_at'],
      request: (body) => ({ method: 'POST', path: '/post', body }),
      floor: { sql: `${sent} select ${postObject('p')}::text as json from p`, values: ['content'] },
    },
  ]
}
