import { follows } from '../domain/edges.ts'
import { followUser } from '../domain/permissions.ts'
import { edgeMutations } from './edge-mutations.ts'
import { User } from './user.ts'

edgeMutations(follows, { type: User, permission: followUser })
