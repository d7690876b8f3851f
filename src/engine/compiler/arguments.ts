import {
  type ArgumentNode,
  BREAK,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  getArgumentValues,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Key, Read } from './field-reads.ts'
import { type PageExtent, type PageRange, pageExtent, pageRange } from './page-range.ts'
import type { ExecutableOperation, Selected, VariableValues } from './selection.ts'

/** The arguments of a field, as the types of the schema have them. */
export type Arguments = ReturnType<typeof getArgumentValues>

/**
 * The arguments of a field in one run of an operation, and what its read makes of them. Its price, its checks and the parameters of its
 * statement use the same, so each is worked out once. All methods throw for invalid arguments.
 */
export class DecodedArguments {
  readonly field: Selected['field']
  readonly args: Arguments
  readonly #read: Read | undefined
  #key: Key | undefined
  #keys: readonly Key[] | undefined
  #range: PageRange | undefined

  constructor(field: Selected['field'], args: Arguments) {
    this.field = field
    this.args = args
    this.#read = field.extensions.read
  }

  /** The key that they give. */
  key(): Key {
    const read = this.#read
    this.#key ??= (read && 'keyOf' in read && read.keyOf?.(this.args)) || {}
    return this.#key
  }

  /** The keys of a list of lookups. */
  keys(): readonly Key[] {
    const read = this.#read
    this.#keys ??= read && 'keysOf' in read ? read.keysOf(this.args) : []
    return this.#keys
  }

  /** How many rows a page has, whatever its cursors. An invalid key is reported first. */
  extent(): PageExtent {
    return this.key() && pageExtent(this.args)
  }

  /** The range of a page. An invalid key is reported first. */
  range(): PageRange {
    this.#range ??= this.key() && pageRange(this.args)
    return this.#range
  }
}

/** What was decoded in each run, which has variables of its own, by the arguments in its document. */
const runs = new WeakMap<VariableValues, Map<FieldNode['arguments'], DecodedArguments>>()

/**
 * Decodes the arguments of a field, once for the variables of a run, and only once where the document has no variables there. The
 * function holds the arguments alone, never what is selected below the field.
 */
export function argumentDecoder(
  field: Selected['field'],
  { name, arguments: given = [] }: FieldNode,
): (variables: VariableValues) => DecodedArguments {
  const node: FieldNode = { kind: Kind.FIELD, name, arguments: given }
  const decode = (variables: VariableValues) => new DecodedArguments(field, getArgumentValues(field, node, variables))
  if (!hasVariables(node)) {
    const constant = decode({})
    return () => constant
  }
  return (variables) => {
    const run = runs.get(variables)
    const known = run?.get(given)
    // In a fragment on an interface, the same arguments are of fields of several types.
    if (known?.field === field) return known
    const decoded = decode(variables)
    if (run) run.set(given, decoded)
    else runs.set(variables, new Map([[given, decoded]]))
    return decoded
  }
}

function hasVariables(node: FieldNode): boolean {
  let found = false
  visit(node, {
    Variable: () => {
      found = true
      return BREAK
    },
  })
  return found
}

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    /** Whether the statement differs when the argument is set, rather than only the value of a parameter. */
    changesStatement?: boolean
  }
}

/** An argument in a document. */
type Given = {
  readonly field: GraphQLField<unknown, unknown>
  readonly argument: GraphQLArgument | null | undefined
  readonly node: ArgumentNode
}

/** The variables that change the text of a statement, not only its values: those of conditions, and of arguments that say so. */
export function structuralVariables(executable: ExecutableOperation): readonly string[] {
  return variablesOf(
    executable,
    ({ argument, node }) => node.value.kind === Kind.VARIABLE && argument?.extensions.changesStatement === true,
  )
}

/** The variables in conditions, and in the arguments for which `matters`. */
export function variablesOf(
  { schema, operation, fragments }: Omit<ExecutableOperation, 'variableValues'>,
  matters: (given: Given) => boolean,
): readonly string[] {
  const names = new Set<string>()
  const types = new TypeInfo(schema)
  const visitor = visitWithTypeInfo(types, {
    Argument: (node) => {
      const [field, argument] = [types.getFieldDef(), types.getArgument()]
      if (types.getDirective() || (field && matters({ field, argument, node })))
        visit(node, { Variable: ({ name }) => void names.add(name.value) })
    },
  })
  for (const node of [operation, ...Object.values(fragments)]) visit(node, visitor)
  return [...names]
}
