import { blocks } from '../domain/edges.ts'
import { blockUser } from '../domain/permissions.ts'
import { edgeMutations } from './edge-mutations.ts'
import { User } from './user.ts'

edgeMutations(blocks, {
  type: User,
  permission: blockUser,
  note: (context, uuid) => context.expectHidings(uuid),
})
