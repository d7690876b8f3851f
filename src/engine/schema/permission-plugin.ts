import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import { DirectiveLocation, GraphQLDirective, GraphQLList, GraphQLNonNull, GraphQLSchema, isEnumType } from 'graphql'
import type { RestrictionName } from '../auth/viewers.ts'
import type { Arguments } from '../compiler/arguments.ts'
import { type ScopeSets, type ScopesBySubject, scopeSetsOf } from '../scopes.ts'

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    requiredScopes?: ScopeSets
    /** The description as it was declared; REST, which documents scopes in its own way, takes it from here. */
    descriptionWithoutScopes?: string | null | undefined
    /** False for a root field that is open to everyone. */
    needsToken?: boolean
    /** The restrictions of accounts that may use it all the same. */
    staysOpenTo?: readonly RestrictionName[]
    /** Whether a mutation takes or returns a password or a token, so that its result is never stored. */
    handlesSecrets?: boolean
    /** The scopes that its arguments require, each with what requires them, as an error says it. */
    scopesOfArguments?: (args: Arguments, schema: GraphQLSchema) => ReadonlyMap<string, ScopeSets>
  }
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      permission: PermissionPlugin<Types>
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
      /** What a token must permit. A field without it is open to every token that can reach its parent. */
      permission?: ScopesBySubject
      /** False for a root field that is open to everyone. */
      needsToken?: false
      /** The restrictions of accounts that may use it all the same. */
      staysOpenTo?: readonly RestrictionName[]
    }
  }
}

/** The scopes of a field in its description, because introspection does not include directives. */
function scopesText(sets: ScopeSets): string {
  const alternatives = sets.map((set) => set.map((scope) => `\`${scope}\``).join(' and '))
  return `Scopes: ${alternatives.join(', or ')}.`
}

/** The directive, as extensions of what requires the scopes. */
const requiring = (scopes: ScopeSets) => ({ directives: { requiresScopes: { scopes } } })

/** What describes an enum value or a field of an input that requires scopes. */
export function described(description: string, permission: ScopesBySubject | undefined) {
  if (!permission) return { description }
  const sets = scopeSetsOf(permission)
  return { description: `${description} ${scopesText(sets)}`, extensions: requiring(sets) }
}

/** Puts the `permission` of each field into its extensions, its description, and the schema as `@requiresScopes`. */
class PermissionPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { permission, needsToken, staysOpenTo } = config.pothosOptions
    if (!permission && needsToken === undefined && !staysOpenTo) return config
    const requiredScopes = permission && scopeSetsOf(permission)
    const extensions = {
      ...config.extensions,
      ...(needsToken !== undefined && { needsToken }),
      ...(staysOpenTo && { staysOpenTo }),
      ...(requiredScopes && {
        requiredScopes,
        descriptionWithoutScopes: config.description,
        ...requiring(requiredScopes),
      }),
    }
    const description = [config.description, requiredScopes && scopesText(requiredScopes)].filter(Boolean).join(' ')
    return { ...config, description, extensions }
  }

  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    const scope = schema.getType('Scope')
    if (!isEnumType(scope)) throw new TypeError('The schema has no enum Scope')
    const set = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(scope)))
    const requiresScopes = new GraphQLDirective({
      name: 'requiresScopes',
      description:
        'The scopes that this requires: the token must have all scopes (inner list) of at least one set (outer list).',
      locations: [
        DirectiveLocation.FIELD_DEFINITION,
        DirectiveLocation.ENUM_VALUE,
        DirectiveLocation.INPUT_FIELD_DEFINITION,
      ],
      args: { scopes: { type: new GraphQLNonNull(new GraphQLList(set)), description: 'Alternative sets of scopes.' } },
    })
    const config = schema.toConfig()
    return new GraphQLSchema({ ...config, directives: [...config.directives, requiresScopes] })
  }
}

/** The name that the builder knows the plugin by. */
export const permissionPlugin = 'permission'

SchemaBuilder.registerPlugin(permissionPlugin, PermissionPlugin)
