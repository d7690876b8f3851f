import type { $tada, ResultOf, TadaDocumentNode } from 'gql.tada'
import { z } from 'zod'
import { described } from './descriptions.ts'
import { type Fragment, joined, type Selected, type TypedDocument } from './graphql.ts'
import { components, seconds } from './types.ts'

/** An object of the REST interface, as a view of a GraphQL object. */
type View<Node extends Fragment, Schema extends z.ZodType> = {
  /** Selects the data of the object. */
  readonly fragment: TypedDocument<Node>
  readonly schema: Schema
  /** Makes the object from its data. */
  readonly object: (data: ResultOf<Node>) => z.infer<Schema>
  readonly example: z.infer<Schema>
}

type AnyView<Data> = { readonly fragment: TypedDocument<Fragment>; readonly object: (data: Data) => unknown }

/** What is read, the schema of the property, and what makes it from that, unless it is null: a view for an object or a list, or a function. */
type Property<Read = never> = readonly [
  source: string | TypedDocument<Fragment>,
  schema: z.ZodType,
  maker?: AnyView<Read> | ((read: Read) => unknown),
]
type Properties<Read = never> = { readonly [name: string]: Property<Read> }

type Spread<Document> =
  Document extends TypedDocument<infer Node extends Fragment>
    ? Node extends { [$tada.definition]?: { fragment: infer Name extends string } }
      ? `...${Name}`
      : never
    : never

/** What the source of a property selects: a fragment, an object with what its view needs, or a plain value. */
type ReadBy<Type extends string, Each extends Property> =
  Each[0] extends TypedDocument<Fragment>
    ? Selected<Type, Spread<Each[0]>, [Each[0]]>
    : Each[2] extends AnyView<never>
      ? Field<Each[0], Selected<Type, `${Each[0] & string} { ${Spread<Each[2]['fragment']>} }`, [Each[2]['fragment']]>>
      : Field<Each[0], Selected<Type, Each[0] & string, []>>

type Field<Name, Data> = Data[Name & keyof Data]

/** The data of all properties together. */
type DataOf<Type extends string, All extends Properties> = {
  [Name in keyof All]: (
    data: All[Name][0] extends string ? { [Field in All[Name][0]]: ReadBy<Type, All[Name]> } : ReadBy<Type, All[Name]>,
  ) => void
}[keyof All] extends (data: infer Data) => void
  ? Data
  : never

/** What is made of something that was read. Null stays null. */
type Made<Read, Maker> = Maker extends { readonly schema: infer Schema }
  ? Replaced<Read, z.infer<Schema>>
  : Maker extends (read: never) => infer Value
    ? Value | Extract<Read, null>
    : Read

type Replaced<Read, Value> = Read extends null
  ? null
  : Read extends readonly (infer Item)[]
    ? Replaced<Item, Value>[]
    : Value

/** What the function of a property takes, if it has one, or null. */
type Taken<Read, Maker> = Maker extends (read: infer Parameter) => unknown ? Parameter | Extract<Read, null> : Read

/** A property, if it is made as its schema describes it. */
type CheckedProperty<Each extends Property, Read> = [Read] extends [Taken<Read, Each[2]>]
  ? [Made<Read, Each[2]>] extends [z.infer<Each[1]>]
    ? Each
    : 'Its schema does not describe what is made.'
  : 'Its function does not take what is read.'

type Checked<Type extends string, All extends Properties> = {
  [Name in keyof All]: CheckedProperty<All[Name], ReadBy<Type, All[Name]>>
}

/** A property that is computed from what a fragment selects. */
export function computed<Node extends Fragment, Schema extends z.ZodType>(
  fragment: TypedDocument<Node>,
  schema: Schema,
  maker: (data: ResultOf<Node>) => z.infer<Schema>,
) {
  return [fragment, schema, maker] as const
}

type Data = { readonly [field: string]: unknown }

function propertyOf(read: unknown, maker: Property<unknown>[2]): unknown {
  if (maker === undefined || read === null) return read
  if (typeof maker === 'function') return maker(read)
  return Array.isArray(read) ? read.map(maker.object) : maker.object(read)
}

/** Declares a view of a GraphQL type. With a description, its schema is a component of the OpenAPI document, by its name. A property has
 * the description of its field unless its schema has one. */
export function view<const Name extends string, const Type extends string, const All extends Properties>(
  name: Name,
  type: Type,
  description: string | undefined,
  sample: NoInfer<DataOf<Type, All>>,
  properties: All & Checked<Type, All>,
): View<
  TadaDocumentNode<DataOf<Type, All>, Record<never, never>, { fragment: Name; on: Type; masked: false }>,
  z.ZodObject<{ [Name in keyof All]: All[Name][1] }>
>
/** The properties are checked above, so that this needs no types of its own. */
export function view(
  name: string,
  type: string,
  description: string | undefined,
  sample: Data,
  properties: Properties<unknown>,
) {
  const all = Object.entries(properties).map(([key, [source, plain, maker]]) => {
    const field = typeof source === 'string' ? source : undefined
    const more = maker === seconds ? ' In Unix seconds.' : ''
    const schema = field === undefined ? plain : described(plain, type, field, more)
    const fragment = typeof source === 'string' ? typeof maker === 'object' && maker.fragment : source
    const spread = fragment && `...${fragment.source.split(' ')[1]}`
    const selection = field && spread ? `${field} { ${spread} }` : (field ?? spread)
    return { key, schema, field, fragment, selection, maker }
  })

  const object = (data: Data) => {
    const result: Record<string, unknown> = {}
    for (const { key, field, maker } of all) result[key] = propertyOf(field === undefined ? data : data[field], maker)
    return result
  }

  const text = `fragment ${name} on ${type} { ${all.map(({ selection }) => selection).join(' ')} }`
  const spread = all.flatMap(({ fragment }) => fragment || [])
  const example = object(sample)
  const plain = z.object(Object.fromEntries(all.map(({ key, schema }) => [key, schema])))
  const schema = description ? plain.describe(description).register(components, { id: name, example }) : plain
  return { fragment: joined(text, spread), schema, object, example }
}
