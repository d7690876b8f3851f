import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type PothosOutputFieldType,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import { type GraphQLFieldResolver, getNamedType, isEnumType, isNonNullType } from 'graphql'
import { fieldsOfPages } from './connection-compiler.ts'
import { type Cost, costOf, prices } from './cost.ts'
import { objectIn, type Read } from './field-reads.ts'
import { OperationReads } from './operation-reads.ts'
import { columnOf } from './rows.ts'

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      read: ReadPlugin<Types>
    }

    interface InferredFieldOptions<
      Types extends SchemaTypes,
      ResolveShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveReturnShape = unknown,
    > {
      /** A field has a `read`, or a resolver, or both if the resolver reads. */
      ReadOrResolve:
        | {
            /** How the field is compiled into the statement of its operation. */
            read: Read
            resolve?: InferredFieldOptions<
              Types,
              ResolveShape,
              Type,
              Nullable,
              Args,
              ResolveReturnShape
            >['Resolve']['resolve']
          }
        | InferredFieldOptions<Types, ResolveShape, Type, Nullable, Args, ResolveReturnShape>['Resolve']
    }

    interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** What the field costs, if that does not follow from its read. */
      cost?: Cost
    }

    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** The error of a payload whose object of this type was deleted just after the write. */
      missing?: (type: string) => Error
    }

    interface BuildSchemaOptions<Types extends SchemaTypes> {
      /** Whether objects are resolved by plugin-prisma rather than taken from compiled statements. */
      resolvesWithPrisma?: boolean
    }
  }
}

declare module 'graphql' {
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    /** Whether it is a connection, an edge, or the position of a page. */
    isPartOfPage?: boolean
  }
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The field of the Prisma model that a leaf is. Pothos sets it. */
    pothosExposedField?: string
    /** The relation that a field is. plugin-prisma sets it. */
    pothosPrismaRelationField?: PrismaRelation
  }
}

/** What plugin-prisma notes of a relation in the extensions of its field. */
type PrismaRelation = { readonly isList?: boolean; readonly relationFromFields?: readonly string[] }

/** The read of the object at the end of a relation, whose key is `id`. */
const objectOfRelation = ({ relationFromFields: [key = ''] = [] }: PrismaRelation) => objectIn(columnOf(key))

type Resolver = GraphQLFieldResolver<unknown, object>

/** Takes a value from a compiled object, which has the keys of the response. */
const fromCompiled: Resolver = (source, _args, _context, { path }) => Reflect.get(Object(source), path.key)

/** Takes an enum value or a list of them from a compiled object, which has their names. */
const enumsFromCompiled: Resolver = (source, args, context, info) => {
  const type = getNamedType(info.returnType)
  const names: unknown = fromCompiled(source, args, context, info)
  if (!isEnumType(type)) throw new TypeError(`${info.fieldName} has no enum values`)
  const named = (name: unknown): unknown => type.getValue(String(name))?.value
  return Array.isArray(names) ? names.map(named) : named(names)
}

/**
 * Takes an object from the payload of a mutation. Where the field cannot be null, throws the error of `missing` if it was deleted just
 * after the write.
 */
const fromPayload =
  (missing: (type: string) => Error): Resolver =>
  (payload, _args, _context, { path, returnType }) => {
    const object: unknown = Reflect.get(Object(Reflect.get(Object(payload), 'selected')), path.key)
    if (object === null && isNonNullType(returnType)) throw missing(getNamedType(returnType).name)
    return object
  }

const deleted = (type: string) => new Error(`The ${type} was deleted`)

/** Reads a root field by a statement of its own. */
const byStatement: Resolver = (_root, _args, context, info) => readsOf(context).field(info)

function readsOf(context: object): OperationReads {
  const reads: unknown = Reflect.get(context, 'reads')
  if (!(reads instanceof OperationReads)) throw new TypeError('The context has no reads')
  return reads
}

/** Gives fields their `read` and `cost`, and the resolver that follows from the read. Throws for a field that no statement reads. */
class ReadPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { extensions, parentType, name, pothosOptions } = config
    const relation = extensions?.pothosPrismaRelationField
    const ofRelation = relation && !relation.isList ? objectOfRelation(relation) : undefined
    const read = pothosOptions.read ?? extensions?.read ?? ofRelation
    if (config.kind === 'PrismaObject' && !read && extensions?.pothosExposedField === undefined)
      throw new TypeError(`${parentType}.${name} is neither a column nor a relation to one object, and has no read`)
    if (this.#isPartOfPage(parentType) && !fieldsOfPages.has(name))
      throw new TypeError(`${parentType}.${name} is none of the fields of a page`)
    const ofMutation = parentType === 'Mutation' ? { fixed: prices.mutation } : undefined
    const { cost = read ? costOf(read) : ofMutation } = pothosOptions
    const own = { ...(read && { read }), ...(cost && { cost }) }
    return { ...config, extensions: { ...extensions, ...own } }
  }

  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { kind, type, parentType, extensions, pothosOptions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (this.options.resolvesWithPrisma) return resolve
    if (kind === 'PrismaObject' || this.#isPartOfPage(parentType))
      return isOfEnum(type) ? enumsFromCompiled : fromCompiled
    if (!extensions?.read || pothosOptions.resolve) return resolve
    return parentType === 'Query' ? byStatement : fromPayload(this.builder.options.missing ?? deleted)
  }

  #isPartOfPage(parentType: string): boolean {
    return this.builder.configStore.getTypeConfig(parentType).extensions?.isPartOfPage === true
  }
}

function isOfEnum<Types extends SchemaTypes>(type: PothosOutputFieldType<Types>): boolean {
  return type.kind === 'List' ? isOfEnum(type.type) : type.kind === 'Enum'
}

/** The name that the builder knows the plugin by. */
export const readPlugin = 'read'

SchemaBuilder.registerPlugin(readPlugin, ReadPlugin)
