import { blocks, bookmarks, follows, likes, mutes } from '../domain/edges.ts'
import {
  blockUser,
  bookmarkPublication,
  followUser,
  likePublication,
  likeReply,
  muteUser,
} from '../domain/permissions.ts'
import { edgeMutations } from './edge-mutations.ts'
import { Publication, Reply } from './publication.ts'
import { User } from './user.ts'

const addLikeToggle = edgeMutations(likes, { type: Publication, permission: likePublication })
addLikeToggle('toggleReplyLike', {
  noun: 'reply',
  type: Reply,
  permission: likeReply,
  errors: '`NOT_FOUND`, also for a post',
})
edgeMutations(bookmarks, { type: Publication, permission: bookmarkPublication })
edgeMutations(follows, { type: User, permission: followUser })
edgeMutations(blocks, { type: User, permission: blockUser, note: (context, uuid) => context.expectHidings(uuid) })
edgeMutations(mutes, { type: User, permission: muteUser, note: (context) => context.expectHidings() })
