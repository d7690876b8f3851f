import { type Attack, graphql } from '../stress/attack.ts'
import { flood } from '../stress/flood.ts'

const connections = 64

/** One account that sends the same permitted request again and again on 64 connections. */
function floodOf(name: string, about: string, source: (thread: string) => string): Attack {
  return {
    row: 'flood',
    name,
    about,
    prepare: (target) => ({ strike: flood(target, connections, () => graphql(source(target.thread), target.token)) }),
  }
}

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
  floodOf(
    'flood-send',
    'sends posts',
    () => 'mutation { sendPost(input: { content: "Flood" }) { publication { uuid } } }',
  ),
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
