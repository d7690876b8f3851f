import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  isInputObjectType,
  isNonNullType,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'
import { longestResponseKey } from '../compiler/json.ts'

/** The longest text of a document, in UTF-16 units. */
const longestDocument = 16_384

/**
 * The limits of a document. They bound the work of validating it and of compiling its statements. Depth and fields are counted with
 * fragments inlined. Characters are UTF-16 units.
 */
export const documentLimits = {
  characters: longestDocument,
  tokens: 1000,
  aliases: 50,
  aliasLength: longestResponseKey,
  directives: 50,
  directivesAtOnePlace: 10,
  depth: 20,
  fields: 500,
} as const

/** The maximum number of errors that are found before an operation runs. Each takes time in proportion to the document. */
export const maxErrors = 20

type Size = { readonly depth: number; readonly fields: number }

const nothing: Size = { depth: 0, fields: 0 }

/** Measures selection sets with fragments inlined. Each fragment is measured once, so it stops at cycles, which another rule refuses. */
class Measure {
  readonly #fragments: Map<string, FragmentDefinitionNode>
  readonly #known = new Map<string, Size>()

  constructor({ definitions }: DocumentNode) {
    const fragments = definitions.filter((it) => it.kind === Kind.FRAGMENT_DEFINITION)
    this.#fragments = new Map(fragments.map((it) => [it.name.value, it]))
  }

  of({ selections }: SelectionSetNode): Size {
    let { depth, fields } = nothing
    for (const node of selections) {
      const size =
        node.kind === Kind.FRAGMENT_SPREAD
          ? this.#ofFragment(node.name.value)
          : node.selectionSet
            ? this.of(node.selectionSet)
            : nothing
      const own = node.kind === Kind.FIELD ? 1 : 0
      depth = Math.max(depth, size.depth + own)
      fields += size.fields + own
    }
    return { depth, fields }
  }

  #ofFragment(name: string): Size {
    const known = this.#known.get(name)
    if (known) return known
    this.#known.set(name, nothing)
    const fragment = this.#fragments.get(name)
    const size = fragment ? this.of(fragment.selectionSet) : nothing
    this.#known.set(name, size)
    return size
  }
}

/** Validation rule: refuses documents beyond `documentLimits`. Characters and tokens are counted before. */
export function limitsRule(context: ValidationContext): ASTVisitor {
  const refuse = (message: string) => context.reportError(new GraphQLError(message))
  let aliases = 0
  let directives = 0
  return {
    enter: (node) => {
      if (node.kind === Kind.FIELD && node.alias) {
        aliases += 1
        if (node.alias.value.length > documentLimits.aliasLength)
          refuse(`An alias has at most ${documentLimits.aliasLength} characters.`)
      }
      const here = 'directives' in node ? (node.directives?.length ?? 0) : 0
      directives += here
      if (here > documentLimits.directivesAtOnePlace) {
        refuse(`There are at most ${documentLimits.directivesAtOnePlace} directives at one place.`)
      }
    },
    leave: (node) => {
      if (node.kind !== Kind.DOCUMENT) return
      if (aliases > documentLimits.aliases) refuse(`A document has at most ${documentLimits.aliases} aliases.`)
      if (directives > documentLimits.directives)
        refuse(`A document has at most ${documentLimits.directives} directives.`)
      const measure = new Measure(node)
      for (const definition of node.definitions) {
        const { depth, fields } = 'selectionSet' in definition ? measure.of(definition.selectionSet) : nothing
        if (depth > documentLimits.depth)
          refuse(`An operation is at most ${documentLimits.depth} levels deep; this one has ${depth}.`)
        if (fields > documentLimits.fields) {
          refuse(
            `An operation selects at most ${documentLimits.fields} fields, with fragments inlined; this one selects ${fields}.`,
          )
        }
      }
    },
  }
}

/** Validation rule: refuses conditions on the field of a subscription, which would decide whether it has one. */
export function unconditionalSubscriptionRule(context: ValidationContext): ASTVisitor {
  return {
    Directive: (node) => {
      if (['skip', 'include'].includes(node.name.value) && context.getParentType()?.name === 'Subscription')
        context.reportError(new GraphQLError('The field of a subscription has no conditions.', { nodes: node }))
    },
  }
}

/**
 * Validation rule: refuses variables that may be null as the member of a OneOf input object (GraphQL specification, section 5.8.5). That of
 * GraphQL.js overlooks objects whose own position may not be null.
 */
export function oneOfVariablesRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition: (operation) => {
      for (const { node, parentType } of context.getRecursiveVariableUsages(operation)) {
        const type = isNonNullType(parentType) ? parentType.ofType : undefined
        const { variableDefinitions = [] } = operation
        const definition = variableDefinitions.find(({ variable }) => variable.name.value === node.name.value)
        if (!isInputObjectType(type) || !type.isOneOf || definition?.type.kind !== Kind.NAMED_TYPE) continue
        const message = `Variable "$${node.name.value}" must be non-nullable to be used for OneOf Input Object "${type}".`
        context.reportError(new GraphQLError(message, { nodes: [definition, node] }))
      }
    },
  }
}
