import type { TadaDocumentNode } from 'gql.tada'
import { graphql, joined, type TypedDocument } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { Component, type Json, objectOf, uuid } from '../../engine/rest/openapi/json.ts'
import { type Asked, type Definition, operation } from '../../engine/rest/operation.ts'
import { lowerCase, view } from '../../engine/rest/view.ts'
import { sampleUser, sampleViewer, userOwner, userView } from '../accounts/rest-views.ts'
import { capitalized, isOfTimelines, likes, type Relation, requestOf } from '../base/relations.ts'
import { eitherKind, postOwner, postView, repliesOnly, samplePost } from '../posts/rest-views.ts'

/** Describes toggles. */
const toggles = 'This is a toggle: retry only with an `Idempotency-Key`. A body is ignored.'

type ChangeDocument = TypedDocument<
  TadaDocumentNode<
    { readonly changed: { readonly action: string } },
    { readonly uuid: string; readonly until?: Date | null }
  >
>

/** When a sample relation ends, in Unix seconds. */
const sampleEnd = 32_503_636_800

/** What a change of a relation did, in lower case. */
const actionOf = (actions: readonly string[]): Json => ({
  type: 'string',
  enum: actions,
  description: 'The action that was taken.',
})

/** What the operations that change a relation have in common: all but what they are called, and what they do. */
function changeOf(relation: Relation) {
  const { verb, on, off } = relation
  const isOfUser = relation.objectType === 'user'
  const [noun, all, sample] = isOfUser ? ['user', 'user', sampleUser] : ['post', 'post or reply', samplePost]
  const limits = isOfUser ? `Users cannot ${verb} themselves, or more than ${relation.limit} accounts.` : eitherKind
  const Verb = capitalized(verb)
  const description = `The result of ${on.doing} or ${off.doing} a ${all.replace(' or ', ' or a ')}.`
  return {
    path: `${noun}/{${isOfUser ? 'user' : 'uuid'}}/${verb}`,
    noun,
    limits,
    /** The end of the names of its operations. */
    name: `${isOfUser ? '' : 'Post'}${Verb}`,
    ...(isOfTimelines(relation) && { errors: ['FORBIDDEN'] as const }),
    ...(isOfUser && {
      errors: ['CONFLICT', 'VALIDATION_FAILED', ...(relation.isEndedByBlocks ? (['FORBIDDEN'] as const) : [])] as const,
    }),
    /** What shows that one of these actions was taken: the first, if it was another. */
    viewOf(component: string, actions: readonly [string, ...string[]]) {
      const properties = { action: actionOf(actions), uuid: { ...uuid, description: `The uuid of the ${all}.` } }
      return {
        description,
        schema: new Component(component, objectOf(properties, description)),
        examples: { [component]: { action: actions[0], uuid: sample.uuid } },
        object: (action: string, { variables }: Asked) => ({
          action: actions.find((it) => it === action.toLowerCase()) ?? actions[0],
          uuid: String(variables.uuid).toLowerCase(),
        }),
      }
    },
  }
}

/** The operation that toggles a relation, such as `POST /post/{uuid}/like`. */
export function toggle(relation: Relation): Definition {
  const { verb, undo, on, off } = relation
  const { path, noun, limits, name, errors = [], viewOf } = changeOf(relation)
  const request = requestOf(relation)
  const asks = request
    ? ` For a private account, \`${on.done}\` can mean that it was ${request.done}, and \`${off.done}\` that this was withdrawn.`
    : ''
  const document: ChangeDocument = joined(
    `mutation Toggle${name}($uuid: UUID!) { changed: toggle${capitalized(verb)}(input: { uuid: $uuid }) { action } }`,
    [],
  )
  return operation({
    route: `POST /${path}`,
    summary: `${capitalized(verb)} or ${undo} a ${noun}`,
    description: `${toggles} ${limits}${asks}`,
    errors,
    document,
    view: viewOf(`${capitalized(verb)}Toggle`, [on.done, off.done]),
    of: ({ changed }) => changed.action,
  })
}

/** The operations that set a relation and take it back, such as `PUT` and `DELETE /post/{uuid}/like`, which the interface does not have. */
export function sets(relation: Relation): readonly Definition[] {
  const { verb, undo, on, off, canExpire } = relation
  const { path, noun, limits, name, errors = [], viewOf } = changeOf(relation)
  const request = requestOf(relation)
  const view = viewOf(`${capitalized(verb)}Set`, [on.done, off.done, ...(request ? [request.done] : [])])
  const documentOf = (action: string, wanted: boolean): ChangeDocument => {
    const [variable, value] = canExpire && wanted ? [', $until: DateTime', ', until: $until'] : ['', '']
    return joined(
      `mutation ${action}${name}($uuid: UUID!${variable}) {
        changed: set${capitalized(verb)}(input: { uuid: $uuid, ${on.done}: ${wanted}${value} }) { action }
      }`,
      [],
    )
  }
  const of = ({ changed }: { readonly changed: { readonly action: string } }) => changed.action
  const asks = request ? ` \`${request.done}\` means that the account is private and was asked.` : ''
  const withdraws = request ? ' Withdraws a request.' : ''
  const body = canExpire && { body: { example: { until: sampleEnd }, isOptional: true } as const }
  return [
    operation({
      route: `PUT /${path}`,
      summary: `${capitalized(verb)} a ${noun}`,
      description: `Idempotent.${body ? '' : ' A body is ignored.'} ${limits}${asks}`,
      ...body,
      errors,
      document: documentOf('Set', true),
      view,
      of,
    }),
    operation({
      route: `DELETE /${path}`,
      summary: `${capitalized(undo)} a ${noun}`,
      description: `Idempotent. A body is ignored.${withdraws}${noun === 'post' ? ` ${eitherKind}` : ''}`,
      ...(noun === 'user' && { errors: ['VALIDATION_FAILED'] as const }),
      document: documentOf('Remove', false),
      view: { ...view, examples: { [view.schema.id]: { ...view.examples[view.schema.id], action: off.done } } },
      of,
    }),
  ]
}

const messageView = view(
  'LikeMessage',
  'ToggleReplyLikePayload',
  'The result of liking or unliking a reply.',
  { action: 'LIKED' },
  { _message: ['action', lowerCase, actionOf([likes.on.done, likes.off.done])] },
)

/** Like/unlike reply (section 4.3). */
export const toggleReplyLike = operation({
  route: 'PUT /like/{uuid}',
  summary: 'Like or unlike a reply',
  description: `${toggles} ${repliesOnly}`,
  document: graphql(
    'mutation ToggleReplyLike($uuid: UUID!) { toggleReplyLike(input: { uuid: $uuid }) { ...LikeMessage } }',
    [messageView.fragment],
  ),
  view: messageView,
  of: ({ toggleReplyLike }) => toggleReplyLike,
})

/** The list of what an account has a relation to, such as `GET /user/{user}/likes/{page}`. */
export function objectsList({ name, on, objectType, objects }: Relation): Definition {
  const { field, path, isPublic, isOfInterface } = objects
  const isOfUsers = objectType === 'user'
  const items = isOfUsers ? 'users' : 'posts and replies'
  const definition = {
    route: `GET /user/{user}/${path}${isOfInterface ? '' : '/{page}'}`,
    summary: `Get ${isOfUsers ? 'the accounts that' : 'what'} ${isPublic ? 'a user' : 'the viewer'} ${on.does}`,
    owner: userOwner,
    ...(!isOfInterface && { ownerExample: (isPublic ? sampleUser : sampleViewer).uuid }),
    field,
    ...(!isPublic && {
      description: `One page of ${items}, newest ${name.one} first. The ${name.many} of another user are refused with 403.`,
      items: `The ${items}, newest ${name.one} first.`,
      errors: ['FORBIDDEN'] as const,
    }),
  } as const
  const id = isOfInterface ? capitalized(path) : `User${capitalized(path)}`
  return isOfUsers ? list(id, { ...definition, view: userView }) : list(id, { ...definition, view: postView })
}

/** The list of the accounts that have a relation to an object, such as `GET /post/{uuid}/likes/{page}`, if there is one. */
export function actorsLists({ verb, name, objectType, actors }: Relation): readonly Definition[] {
  if (!actors) return []
  const { field, path, isOfInterface } = actors
  const [noun, parameter, owner, sample] =
    objectType === 'user' ? ['user', 'user', userOwner, sampleUser] : ['post', 'uuid', postOwner, samplePost]
  const definition = {
    route: `GET /${noun}/{${parameter}}/${path}${isOfInterface ? '' : '/{page}'}`,
    summary: `Get the accounts that ${verb} a ${noun}`,
    owner,
    ...(!isOfInterface && { ownerExample: sample.uuid }),
    field,
    view: userView,
    ...(objectType === 'publication' && { description: `One page, newest ${name.one} first. ${eitherKind}` }),
  } as const
  return [list(isOfInterface ? capitalized(path) : `${capitalized(noun)}${capitalized(path)}`, definition)]
}
