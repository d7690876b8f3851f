import { mutes } from '../domain/edges.ts'
import { muteUser } from '../domain/permissions.ts'
import { edgeMutations } from './edge-mutations.ts'
import { User } from './user.ts'

edgeMutations(mutes, { type: User, permission: muteUser, note: (context) => context.expectHidings() })
