import type { TadaDocumentNode } from 'gql.tada'
import type { z } from 'zod'
import { forbidden } from '../errors.ts'
import { descriptionOf } from './descriptions.ts'
import { type Fragment, joined, type TypedDocument } from './graphql.ts'
import { type ConnectionData, type Definition, found, type List, type Operation, operation } from './operation.ts'
import { component, pageOf } from './types.ts'

/** What a list belongs to. */
export type ListOwner = {
  /** What it is called in `NOT_FOUND`. */
  readonly name: string
  readonly type: string
  /** The field that finds it, and the declaration of its variables. */
  readonly field: string
  readonly variables: string
  /** The field that names it, and the property of the response that has this name. */
  readonly key: string
  readonly property: string
  readonly schema: z.ZodType
}

type ListDefinition<Data> = Pick<Operation, 'route' | 'summary' | 'query' | 'scopes' | 'optionalScopes' | 'errors'> & {
  /** That of the connection, unless there is more to say. */
  readonly description?: string
  readonly by?: List['by']
  readonly owner?: ListOwner
  /** The example of what names the owner in the response. Without it, the response does not. */
  readonly ownerExample?: string
  /** The connection of GraphQL. */
  readonly field: string
  /** The arguments of the connection besides those of the page, and the declarations of their variables. */
  readonly filter?: { readonly arguments: string; readonly variables?: string }
  /** The property of the response that has the items, if it is not named like the connection. */
  readonly property?: string
  /** The description of the items, if it is not that of the connection. */
  readonly items?: string
  readonly view: {
    readonly fragment: TypedDocument<Fragment>
    readonly schema: z.ZodType
    readonly object: (data: Data) => unknown
    readonly example: unknown
  }
  /** The example of an item, if it is not that of the view. */
  readonly example?: unknown
}

/** Null is a list that only its owner sees. */
type Listed<Data> = {
  readonly key?: string
  readonly list?: (ConnectionData & { readonly nodes: readonly Data[] }) | null
}

type ListDocument<Data> = TypedDocument<
  TadaDocumentNode<Listed<Data> & { readonly owner?: Listed<Data> | null }, Record<string, unknown>>
>

/** Defines the operation that reads one page of a list. `name` is that of its component, and after `Get` that of its document. */
export function list<Data>(name: string, definition: ListDefinition<Data>, documentName = `Get${name}`): Definition {
  const { owner, ownerExample: example, field, filter, view, by = 'number', ...rest } = definition
  const ofConnection = descriptionOf(owner?.type ?? 'Query', field)
  const { description = ofConnection, property = field, items = ofConnection } = definition
  const named = owner && example !== undefined ? { ...owner, example } : undefined
  const isNumbered = by === 'number'
  const variables = ['$first: Int!', isNumbered && '$offset: Int!', '$after: String']
  const taken = ['first: $first', isNumbered && 'offset: $offset', 'after: $after']
  const listOf = (all: readonly unknown[]) => all.filter(Boolean).join(', ')
  const spread = `...${view.fragment.source.split(' ')[1]}`
  const page = `list: ${field}(${listOf([filter?.arguments, ...taken])}) { nodes { ${spread} } pageInfo { hasNextPage endCursor } }`
  const selected = owner ? `owner: ${owner.field} { ${named ? `key: ${named.key} ` : ''}${page} }` : page
  const document: ListDocument<Data> = joined(
    `query ${documentName}(${listOf([owner?.variables, filter?.variables, ...variables])}) { ${selected} }`,
    [view.fragment],
  )
  return operation({
    ...rest,
    description,
    list: { by, of: (data) => (owner ? data.owner : data)?.list },
    document,
    response: {
      schema: component(
        name,
        `One page of ${rest.summary.replace(/^\w+ /, '')}.`,
        { ...(named && { [named.property]: named.schema }), [property]: pageOf(view.schema).describe(items) },
        {
          ...(named && { [named.property]: named.example }),
          [property]: [definition.example ?? view.example],
        },
      ),
      body: (data) => {
        const { key = '', list } = owner ? found(owner.name, data.owner ?? null) : data
        if (!list) throw forbidden('PRIVATE_LIST', `A user's ${property} are visible to that user only.`)
        return { ...(named && { [named.property]: key }), [property]: list.nodes.map(view.object) }
      },
    },
  })
}
