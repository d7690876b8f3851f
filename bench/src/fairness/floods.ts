import { type Attack, graphql } from '../stress/attack.ts'
import { flood } from '../stress/flood.ts'

/** How many connections a flood has, unless it says otherwise, and how many a large one has. */
const connections = { usual: 64, large: 400 } as const

/** One account that sends the same permitted request again and again. */
function floodOf(
  name: string,
  about: string,
  source: (thread: string) => string,
  atOnce: number = connections.usual,
): Attack {
  return {
    row: 'flood',
    name,
    about,
    prepare: (target) => ({ strike: flood(target, atOnce, () => graphql(source(target.thread), target.token)) }),
  }
}

const send = () => 'mutation { sendPost(input: { content: "Flood" }) { publication { uuid } } }'

/** What a flooding client does beside a polite one. */
export const floods: readonly Attack[] = [
  floodOf(
    'flood-post',
    'gets a post',
    (thread) => `{ post(uuid: "${thread}") { uuid content likeCount author { username } } }`,
  ),
  floodOf('flood-like', 'likes and unlikes a post', (thread) => {
    return `mutation { toggleLike(input: { uuid: "${thread}" }) { publication { likeCount } } }`
  }),
  floodOf('flood-send', 'sends posts', send),
  floodOf('flood-send-large', `sends posts on ${connections.large} connections`, send, connections.large),
  floodOf(
    'flood-home',
    'reads its home timeline and follows 10,000',
    () => '{ homeTimeline { nodes { uuid content author { username } } } }',
  ),
  floodOf(
    'flood-nested',
    'reads 20 posts with 10 replies each',
    () =>
      '{ publicTimeline { nodes { uuid content author { username } replies(first: 10) { nodes { uuid content } } } } }',
  ),
]
