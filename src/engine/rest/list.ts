import type { TadaDocumentNode } from 'gql.tada'
import { forbidden } from '../errors.ts'
import { type Extent, type Fragment, joined, type TypedDocument } from './graphql.ts'
import type { Component, Json } from './openapi/json.ts'
import { descriptionOf } from './openapi/resolve.ts'
import { type ConnectionData, type Definition, type List, type Operation, operation } from './operation.ts'
import { type Data as Sample, untypedView } from './view.ts'

/** What a list belongs to. */
export type ListOwner = {
  readonly type: string
  /** The field that finds it, and the declaration of its variables. */
  readonly field: string
  readonly variables: string
  /** The field that names it, and the property of the response that has this name, with its description. */
  readonly key: string
  readonly property: string
  readonly description: string
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
    readonly schema: Component
    object(data: Data, extent: Extent): Json
    readonly sample: Sample
  }
  /** The sample of an item, if it is not that of the view. */
  readonly sample?: Sample
}

/** Null is a list that only its owner sees. */
type Page = { readonly [field: string]: ConnectionData | null | undefined }

/** Defines the operation that reads one page of a list. `name` is that of its component, and after `Get` that of its document. */
export function list<Data>(name: string, definition: ListDefinition<Data>, documentName = `Get${name}`): Definition {
  const { owner, ownerExample, field, filter, view, by = 'number', sample = view.sample, items, ...rest } = definition
  const { description = descriptionOf(owner?.type ?? 'Query', field), property = field } = definition
  const isNumbered = by === 'number'
  const variables = ['$first: Int!', isNumbered && '$offset: Int!', '$after: String']
  const taken = ['first: $first', isNumbered && 'offset: $offset', 'after: $after']
  const listOf = (all: readonly unknown[]) => all.filter(Boolean).join(', ')
  const page = untypedView<Page>(
    name,
    owner?.type ?? 'Query',
    `One page of ${rest.summary.replace(/^\w+ /, '')}.`,
    { ...(owner && { [owner.key]: ownerExample }), [field]: { nodes: [sample] } },
    {
      ...(owner &&
        ownerExample !== undefined && { [owner.property]: [owner.key, undefined, { description: owner.description }] }),
      [property]: [
        `${field}(${listOf([filter?.arguments, ...taken])})`,
        { nodes: view },
        items === undefined ? {} : { description: items },
      ],
    },
  )
  const spread = `...${name}`
  const document: TypedDocument<TadaDocumentNode<Page & { readonly owner?: Page | null }, Record<string, unknown>>> =
    joined(
      `query ${documentName}(${listOf([owner?.variables, filter?.variables, ...variables])}) { ${
        owner ? `owner: ${owner.field} { ${spread} }` : spread
      } }`,
      [page.fragment],
    )
  const pageOf = (data: Page & { readonly owner?: Page | null }) => (owner ? (data.owner ?? null) : data)
  return operation({
    ...rest,
    description,
    list: { by, of: (data) => pageOf(data)?.[field] },
    document,
    view: page,
    of: (data) => {
      const shown = pageOf(data)
      if (shown?.[field] === null)
        throw forbidden('PRIVATE_LIST', `A user's ${property} are visible to that user only.`)
      return shown
    },
  })
}
