import { mutes } from '../../domain/edges.ts'
import { graphql } from '../graphql.ts'
import { ownList } from '../own-list.ts'
import { userView } from '../schemas/users.ts'
import { toggle } from '../toggle.ts'

/** Mute/unmute, which the interface does not have. */
export const toggleMute = toggle(
  mutes,
  graphql('mutation ToggleMute($uuid: UUID!) { toggled: toggleMute(input: { uuid: $uuid }) { action } }'),
)

/** Get user mutes, which the interface does not have. */
export const getUserMutes = ownList(
  mutes,
  userView,
  graphql(
    `query GetUserMutes($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) { uuid username list: mutes(first: $first, offset: $offset) { nodes { ...User } pageInfo { hasNextPage } } }
    }`,
    [userView.fragment],
  ),
)
