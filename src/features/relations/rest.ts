import type { TadaDocumentNode } from 'gql.tada'
import { z } from 'zod'
import { graphql, joined, type TypedDocument } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { type Definition, eitherKind, operation, repliesOnly, toggles } from '../../engine/rest/operation.ts'
import { component, uuid } from '../../engine/rest/types.ts'
import { sampleUser, sampleViewer, userOwner, userView } from '../accounts/rest-views.ts'
import { capitalized, likes, type Relation } from '../base/relations.ts'
import { postView, samplePost } from '../posts/rest-views.ts'

type ToggleDocument = TypedDocument<
  TadaDocumentNode<{ readonly toggled: { readonly action: string } }, { readonly uuid: string }>
>

/** What the toggle of a relation did, in lower case. */
function actionOf({ on, off }: Relation) {
  return z.enum([on.done, off.done]).describe('The action that was taken.')
}

/** The operation that toggles a relation, such as `POST /post/{uuid}/like`. */
export function toggle(relation: Relation): Definition {
  const { verb, undo, on, off } = relation
  const isOfUser = relation.objectType === 'user'
  const [name, all, sample] = isOfUser ? ['user', 'user', sampleUser] : ['post', 'post or reply', samplePost]
  const limits = isOfUser ? `Users cannot ${verb} themselves, or more than ${relation.limit} accounts.` : eitherKind
  const mutation = capitalized(verb)
  const document: ToggleDocument = joined(
    `mutation Toggle${isOfUser ? '' : 'Post'}${mutation}($uuid: UUID!) { toggled: toggle${mutation}(input: { uuid: $uuid }) { action } }`,
    [],
  )
  return operation({
    route: `POST /${name}/{${isOfUser ? 'user' : 'uuid'}}/${verb}`,
    summary: `${mutation} or ${undo} a ${name}`,
    description: `${toggles} ${limits}`,
    ...(isOfUser && {
      errors: ['CONFLICT', 'VALIDATION_FAILED', ...(relation.isEndedByBlocks ? (['FORBIDDEN'] as const) : [])],
    }),
    document,
    response: {
      schema: component(
        `${mutation}Toggle`,
        `The result of ${on.doing} or ${off.doing} a ${all.replace(' or ', ' or a ')}.`,
        { action: actionOf(relation), uuid: uuid.describe(`The uuid of the ${all}.`) },
        { action: on.done, uuid: sample.uuid },
      ),
      body: ({ toggled }, _viewer, { uuid }) => ({
        action: toggled.action.toLowerCase(),
        uuid: String(uuid).toLowerCase(),
      }),
    },
  })
}

/** Like/unlike reply (section 4.3). */
export const toggleReplyLike = operation({
  route: 'PUT /like/{uuid}',
  summary: 'Like or unlike a reply',
  description: `${toggles} ${repliesOnly}`,
  document: graphql('mutation ToggleReplyLike($uuid: UUID!) { toggleReplyLike(input: { uuid: $uuid }) { action } }'),
  response: {
    schema: component(
      'LikeMessage',
      'The result of liking or unliking a reply.',
      { _message: actionOf(likes) },
      { _message: 'liked' },
    ),
    body: ({ toggleReplyLike }) => ({ _message: toggleReplyLike.action.toLowerCase() }),
  },
})

/** The list of a relation that only its owner sees, such as `GET /user/{user}/likes/{page}`. */
export function ownList({ verb, on, objectType, table }: Relation): Definition {
  const isOfUsers = objectType === 'user'
  const [items, objects] = isOfUsers ? ['users', 'the accounts that'] : ['posts and replies', 'what']
  const name = `User${capitalized(table)}`
  const definition = {
    route: `GET /user/{user}/${table}/{page}`,
    summary: `Get ${objects} the viewer ${on.does}`,
    description: `One page of ${items}, newest ${verb} first. The ${table} of another user are refused with 403.`,
    owner: userOwner,
    ownerExample: sampleViewer.uuid,
    field: table,
    items: `The ${items}, newest ${verb} first.`,
    errors: ['FORBIDDEN'],
  } as const
  return isOfUsers ? list(name, { ...definition, view: userView }) : list(name, { ...definition, view: postView })
}

/** Get following (section 4.2). */
export const getFollowing = list('Following', {
  route: 'GET /user/{user}/following',
  summary: 'Get the accounts that a user follows',
  owner: userOwner,
  field: 'following',
  view: userView,
})

/** Get followers (section 4.2). */
export const getFollowers = list('Followers', {
  route: 'GET /user/{user}/followers',
  summary: 'Get the followers of a user',
  owner: userOwner,
  field: 'followers',
  view: userView,
})
