import { type FieldNode, Kind, type NameNode, OperationTypeNode, type SelectionNode, type VariableNode } from 'graphql'
import { setsOf } from '../compiler/selection.ts'
import { rootsOf } from './operation-analysis.ts'
import { PreparedOperation, type SubscriptionQuery } from './prepared-operation.ts'

/** The variable with the cursor that a page comes after. It is no name that a client could use. */
export const cursorVariable = 'cursor of the last change'

/** How many changes the page of a subscription has at most: so few that most pages are cheap. */
const subscribedPageSize = 10

const nameOf = (value: string): NameNode => ({ kind: Kind.NAME, value })
const variable: VariableNode = { kind: Kind.VARIABLE, name: nameOf(cursorVariable) }
const fieldOf = (name: string, selections?: readonly SelectionNode[]): FieldNode => ({
  kind: Kind.FIELD,
  name: nameOf(name),
  ...(selections && { selectionSet: { kind: Kind.SELECTION_SET, selections } }),
})

/** The query of a valid subscription: it reads the connection of the same name, and selects of its nodes what the subscription does. */
export function subscriptionQuery(subscription: PreparedOperation): SubscriptionQuery {
  subscription.subscriptionQuery ??= makeQuery(subscription)
  return subscription.subscriptionQuery
}

function makeQuery(subscription: PreparedOperation): SubscriptionQuery {
  const { schema, operation, document } = subscription
  const [[key, { nodes }] = ['', { nodes: [] }]] = rootsOf({ ...subscription, variableValues: {} })
  const [field] = nodes
  if (!field) throw new TypeError('A subscription has one field')
  const selected = setsOf(nodes).flatMap(({ selections }) => selections)
  const node = fieldOf('node', selected)
  const page = [
    fieldOf('edges', [fieldOf('cursor'), node]),
    fieldOf('pageInfo', [fieldOf('endCursor'), fieldOf('hasNextPage')]),
  ]
  const others = field.arguments?.filter(({ name }) => name.value !== 'after') ?? []
  const connection: FieldNode = {
    ...field,
    arguments: [
      ...others,
      { kind: Kind.ARGUMENT, name: nameOf('first'), value: { kind: Kind.INT, value: String(subscribedPageSize) } },
      { kind: Kind.ARGUMENT, name: nameOf('after'), value: variable },
    ],
    selectionSet: { kind: Kind.SELECTION_SET, selections: page },
  }
  const type = { kind: Kind.NAMED_TYPE, name: nameOf('String') } as const
  const query = {
    ...operation,
    operation: OperationTypeNode.QUERY,
    variableDefinitions: [
      ...(operation.variableDefinitions ?? []),
      { kind: Kind.VARIABLE_DEFINITION, variable, type } as const,
    ],
    selectionSet: { kind: Kind.SELECTION_SET, selections: [connection] } as const,
  }
  const definitions = document.definitions.map((it) => (it === operation ? query : it))
  return { query: new PreparedOperation(schema, { ...document, definitions }, query), key, field }
}
