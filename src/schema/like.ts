import { likes } from '../domain/edges.ts'
import { likePublication, likeReply } from '../domain/permissions.ts'
import { edgeMutations } from './edge-mutations.ts'
import { Publication, Reply } from './publication.ts'

const addToggle = edgeMutations(likes, { type: Publication, permission: likePublication })

addToggle('toggleReplyLike', {
  noun: 'reply',
  type: Reply,
  permission: likeReply,
  errors: '`NOT_FOUND`, also for a post',
})
