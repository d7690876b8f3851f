import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'

/** What a document may have at most. They bound the work of validation and execution before either begins. */
export const documentLimits = {
  tokens: 2000,
  aliases: 50,
  directives: 50,
  directivesAtOnePlace: 10,
  depth: 20,
} as const

/** Depth of a selection set with its fragments inlined; each fragment is measured once. A cycle, which another rule refuses, ends. */
function depthOf(
  set: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
  known: Map<string, number>,
): number {
  let deepest = 0
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) {
      deepest = Math.max(deepest, 1 + (node.selectionSet ? depthOf(node.selectionSet, fragments, known) : 0))
    } else if (node.kind === Kind.INLINE_FRAGMENT) {
      deepest = Math.max(deepest, depthOf(node.selectionSet, fragments, known))
    } else {
      deepest = Math.max(deepest, depthOfFragment(node.name.value, fragments, known))
    }
  }
  return deepest
}

function depthOfFragment(
  name: string,
  fragments: Map<string, FragmentDefinitionNode>,
  known: Map<string, number>,
): number {
  const before = known.get(name)
  if (before !== undefined) return before
  known.set(name, 0)
  const fragment = fragments.get(name)
  const depth = fragment ? depthOf(fragment.selectionSet, fragments, known) : 0
  known.set(name, depth)
  return depth
}

function fragmentsOf({ definitions }: DocumentNode) {
  const fragments = definitions.filter((it) => it.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((it) => [it.name.value, it]))
}

/** Validation rule: refuses documents beyond `documentLimits`; the parser holds the number of tokens. */
export function limitsRule(context: ValidationContext): ASTVisitor {
  const refuse = (message: string) => context.reportError(new GraphQLError(message))
  let aliases = 0
  let directives = 0
  return {
    Document: (document) => {
      const fragments = fragmentsOf(document)
      const known = new Map<string, number>()
      for (const definition of document.definitions) {
        if (!('selectionSet' in definition)) continue
        const depth = depthOf(definition.selectionSet, fragments, known)
        if (depth > documentLimits.depth)
          return refuse(`An operation is at most ${documentLimits.depth} levels deep; this one has ${depth}.`)
      }
    },
    Field: ({ alias }) => {
      if (alias) aliases += 1
      if (aliases === documentLimits.aliases + 1) refuse(`A document has at most ${documentLimits.aliases} aliases.`)
    },
    enter: (node) => {
      const here = 'directives' in node ? (node.directives?.length ?? 0) : 0
      if (here > documentLimits.directivesAtOnePlace) {
        refuse(`There are at most ${documentLimits.directivesAtOnePlace} directives at one place.`)
      }
      if (directives <= documentLimits.directives && directives + here > documentLimits.directives) {
        refuse(`A document has at most ${documentLimits.directives} directives.`)
      }
      directives += here
    },
  }
}
