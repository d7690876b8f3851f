import { likeReply } from '../domain/permissions.ts'
import { likes, relations } from '../domain/relations.ts'
import { Publication, Reply } from './publication.ts'
import { relationMutations } from './relation-mutations.ts'
import { User } from './user.ts'

for (const relation of relations) {
  const addToggle = relationMutations(relation, relation.objectType === 'user' ? User : Publication)
  if (relation === likes)
    addToggle('toggleReplyLike', {
      noun: 'reply',
      type: Reply,
      permission: likeReply,
      errors: '`NOT_FOUND`, also for a post',
    })
}
