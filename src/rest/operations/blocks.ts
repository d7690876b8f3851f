import { blocks } from '../../domain/edges.ts'
import { graphql } from '../graphql.ts'
import { ownList } from '../own-list.ts'
import { userView } from '../schemas/users.ts'
import { toggle } from '../toggle.ts'

/** Block/unblock, which the interface does not have. */
export const toggleBlock = toggle(
  blocks,
  graphql('mutation ToggleBlock($uuid: UUID!) { toggled: toggleBlock(input: { uuid: $uuid }) { action } }'),
)

/** Get user blocks, which the interface does not have. */
export const getUserBlocks = ownList(
  blocks,
  userView,
  graphql(
    `query GetUserBlocks($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) { uuid username list: blocks(first: $first, offset: $offset) { nodes { ...User } pageInfo { hasNextPage } } }
    }`,
    [userView.fragment],
  ),
)
