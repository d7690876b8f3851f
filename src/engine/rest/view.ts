import type { $tada, ResultOf, TadaDocumentNode } from 'gql.tada'
import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql'
import { pageSize } from '../compiler/limits.ts'
import { type Extent, type Fragment, joined, type Selected, type TypedDocument } from './graphql.ts'
import { Component, Derived, type Json, objectOf, typeSchema, unitOf } from './openapi/json.ts'
import { descriptionOf } from './openapi/resolve.ts'

/** What a view is made from. */
export type Data = { readonly [field: string]: unknown }

/** What the description of a property that only full views have ends with. */
const onlyInFullView = ' Only with `view=full`.'

/** An object of the REST interface, as a view of a GraphQL object. */
type View<Node extends Fragment> = {
  /** Selects the data of the object. */
  readonly fragment: TypedDocument<Node>
  readonly description: string
  readonly schema: Component
  /** Makes the object from its data. */
  object(data: ResultOf<Node>, extent: Extent): Json
  readonly sample: Data
  /** The objects of the sample: by the name of the view, and if the full view has more, that by its name. */
  readonly examples: Json
}

type AnyView<Data> = {
  readonly fragment: TypedDocument<Fragment>
  readonly schema: Component
  object(data: Data, extent: Extent): unknown
}

/** The nodes of a page of a connection, each as this view. */
type NodesOf<Data> = { readonly nodes: AnyView<Data> }

/** What makes a property from what is read, unless that is null: a view for an object or a list, or a function. */
type Maker<Read> = AnyView<Read> | NodesOf<Read> | ((read: Read, extent: Extent) => unknown)

/**
 * A field that is read, with its arguments; or that and what makes the property; or also what its schema has besides what follows from
 * its type. One with a `type` is the whole schema, as it is of what is made from a fragment.
 */
type Property<Read = never> =
  | string
  | readonly [source: string | TypedDocument<Fragment>, maker?: Maker<Read> | undefined, schema?: Json | Component]

/** The properties of a view, by their names. */
type Properties<Read = never> = { readonly [name: string]: Property<Read> }

type SourceOf<Each> = Each extends readonly [infer Source, ...unknown[]] ? Source : Each
type MakerOf<Each> = Each extends readonly [unknown, infer Made, ...unknown[]] ? Made : undefined
type NameOf<Source> = Source extends `${infer Name}(${string}` ? Name : Source

type Spread<Document> =
  Document extends TypedDocument<infer Node extends Fragment>
    ? Node extends { [$tada.definition]?: { fragment: infer Name extends string } }
      ? `...${Name}`
      : never
    : never

type SelectionOf<Of> =
  Of extends NodesOf<never>
    ? ` { nodes { ${Spread<Of['nodes']['fragment']>} } pageInfo { hasNextPage endCursor } }`
    : Of extends AnyView<never>
      ? ` { ${Spread<Of['fragment']>} }`
      : ''

type FragmentsOf<Of> =
  Of extends NodesOf<never> ? [Of['nodes']['fragment']] : Of extends AnyView<never> ? [Of['fragment']] : []

/** What the source of a property selects: a fragment, an object with what its view needs, or a plain value. */
type ReadBy<Type extends string, Each> =
  SourceOf<Each> extends infer Source
    ? Source extends TypedDocument<Fragment>
      ? Selected<Type, Spread<Source>, [Source]>
      : Field<
          NameOf<Source>,
          Selected<Type, `${Source & string}${SelectionOf<MakerOf<Each>>}`, FragmentsOf<MakerOf<Each>>>
        >
    : never

type Field<Name, Data> = Data[Name & keyof Data]

/** The data of all properties together. */
type DataOf<Type extends string, All extends Properties> = {
  [Name in keyof All]: (
    data: SourceOf<All[Name]> extends infer Source extends string
      ? { [Field in NameOf<Source> & string]: ReadBy<Type, All[Name]> }
      : ReadBy<Type, All[Name]>,
  ) => void
}[keyof All] extends (data: infer Data) => void
  ? Data
  : never

/** What the function of a property takes, if it has one, or null. */
type Taken<Read, Made> = Made extends (read: infer Parameter, extent: Extent) => unknown
  ? Parameter | Extract<Read, null>
  : Read

type Checked<Type extends string, All extends Properties> = {
  [Name in keyof All]: [ReadBy<Type, All[Name]>] extends [Taken<ReadBy<Type, All[Name]>, MakerOf<All[Name]>>]
    ? All[Name]
    : 'Its function does not take what is read.'
}

/** A time as whole Unix seconds. */
export const seconds = (at: Date | string): number => Math.floor(new Date(at).getTime() / 1000)

/** The value of an enum as REST has it. */
export const lowerCase = <Name extends string>(name: Name) => name.toLowerCase()

/** A property that is computed from what a fragment selects. */
export function computed<Node extends Fragment>(
  fragment: TypedDocument<Node>,
  maker: (data: ResultOf<Node>, extent: Extent) => unknown,
  schema: Json | Component,
) {
  return [fragment, maker, schema] as const
}

function propertyOf(read: unknown, maker: Maker<unknown> | undefined, extent: Extent): unknown {
  if (maker === undefined || read === null) return read
  if (typeof maker === 'function') return maker(read, extent)
  if ('nodes' in maker) return propertyOf(Object(read).nodes, maker.nodes, extent)
  // It returns null for null, as lists of lookups have it.
  return Array.isArray(read) ? read.map((item) => propertyOf(item, maker, extent)) : maker.object(read, extent)
}

/** The schema of a property, which follows from the type of its field. */
function schemaOf(
  graphql: GraphQLSchema,
  typeName: string,
  name: string,
  maker: Maker<unknown> | undefined,
  own: Json | Component = {},
): unknown {
  if (own instanceof Component || own.type) return own
  const type = graphql.getType(typeName)
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
  if (!field) throw new TypeError(`There is no ${typeName}.${name}`)
  const { form } = field.extensions
  const isPage = typeof maker === 'object' && 'nodes' in maker
  const objects = typeof maker === 'object' ? (isPage ? maker.nodes.schema : maker.schema) : undefined
  const schema = isPage
    ? { type: 'array', items: objects, maxItems: pageSize.max }
    : typeSchema(field.type, { form, objects })
  if (schema instanceof Component) return schema
  return { ...Object(schema), description: descriptionOf(typeName, name) + unitOf(field.type), ...own }
}

const spreadOf = ({ source }: TypedDocument<unknown>) => `...${source.split(' ')[1]}`

/** The text of a selection, and the fragments that it spreads. */
function selectionOf(source: string | TypedDocument<Fragment>, maker: Maker<unknown> | undefined) {
  if (typeof source !== 'string') return { text: spreadOf(source), spread: [source] }
  if (typeof maker !== 'object') return { text: source, spread: [] }
  const { fragment } = 'nodes' in maker ? maker.nodes : maker
  const inner = spreadOf(fragment)
  const text = 'nodes' in maker ? `nodes { ${inner} } pageInfo { hasNextPage endCursor }` : inner
  return { text: `${source} { ${text} }`, spread: [fragment] }
}

/**
 * Declares a view of a GraphQL type, a component of the OpenAPI document by its name. The schemas and descriptions of its properties follow
 * from the fields. The properties of the full view come last, and only with `view=full`.
 */
export function view<
  const Name extends string,
  const Type extends string,
  const All extends Properties,
  const Full extends Properties = Record<never, never>,
>(
  name: Name,
  type: Type,
  description: string,
  sample: NoInfer<DataOf<Type, All> & DataOf<Type, Full>>,
  properties: All & Checked<Type, All>,
  full?: Full & Checked<Type, Full>,
): View<TadaDocumentNode<DataOf<Type, All>, Record<never, never>, { fragment: Name; on: Type; masked: false }>>
/** The properties are checked above. */
export function view(
  name: string,
  type: string,
  description: string,
  sample: Data,
  properties: Properties<unknown>,
  full?: Properties<unknown>,
) {
  return { ...untypedView<never>(name, type, description, sample, properties, full), sample }
}

/** Properties of a view, with what follows from their declarations, and what their descriptions end with. */
function preparedProperties(type: string, properties: Properties<unknown>, note = '') {
  return Object.entries(properties).map(([key, property]) => {
    const [source, maker, own] = typeof property === 'string' ? [property] : property
    const field = typeof source === 'string' ? source.replace(/\(.*/s, '') : undefined
    const schema = new Derived((graphql) => {
      const it = field === undefined ? own : schemaOf(graphql, type, field, maker, own)
      return note === '' || it instanceof Component ? it : { ...Object(it), description: Object(it).description + note }
    })
    return { key, field, maker, schema, selection: selectionOf(source, maker) }
  })
}

/** Declares a view whose properties are made when the program starts, so that nothing can check them. */
export function untypedView<Shown extends Data>(
  name: string,
  type: string,
  description: string,
  sample: Data,
  properties: Properties<unknown>,
  full: Properties<unknown> = {},
) {
  const documented = preparedProperties(type, properties)
  const all = [...documented, ...preparedProperties(type, full, onlyInFullView)]
  const object = (data: Data, extent: Extent): Json => {
    const result: Record<string, unknown> = {}
    for (const { key, field, maker } of extent.isFull ? all : documented)
      result[key] = propertyOf(field === undefined ? data : data[field], maker, extent)
    return result
  }
  const definitionOf = (selected: typeof all) => ({
    source: `fragment ${name} on ${type} { ${[...new Set(selected.map(({ selection }) => selection.text))].join(' ')} }`,
    fragments: selected.flatMap(({ selection }) => selection.spread),
  })
  const { source, fragments } = definitionOf(documented)
  const fragment = joined(source, fragments, definitionOf(all))
  return {
    fragment,
    description,
    schema: new Component(
      name,
      objectOf(
        Object.fromEntries(all.map(({ key, schema }) => [key, schema])),
        description,
        documented.map(({ key }) => key),
      ),
    ),
    object: (data: Shown, extent: Extent) => object(data, extent),
    examples: {
      [name]: object(sample, { isFull: false }),
      ...(Object.keys(full).length > 0 && { [`${name}WithFullView`]: object(sample, { isFull: true }) }),
    },
  }
}
