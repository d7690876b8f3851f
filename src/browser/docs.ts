import './bar.ts'
import 'swagger-ui-dist/swagger-ui.css'
import './docs.css'
import SwaggerUIBundle from 'swagger-ui-dist/swagger-ui-bundle.js'
import { byId } from './element.ts'
import { authorization, options } from './session.ts'

type Parameter = { readonly $ref?: string; readonly example?: unknown }
type Operation = {
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: Parameter[]
  description?: string
}
type OpenApi = {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: {
    readonly parameters?: Readonly<Record<string, object>>
    readonly schemas?: Readonly<Record<string, { readonly example?: { parent?: unknown } }>>
  }
}

const targets: Readonly<Record<string, string>> = Object(options.targets)
const inAddress = new URLSearchParams(location.search)

/** Adds the required scopes to a description: Swagger UI only shows them in its own form for tokens. */
function addScopes(operation: Operation): void {
  const sets = (operation.security ?? []).flatMap((requirement) => Object.values(requirement))
  if (sets.length === 0) return
  const needed = sets.map((scopes) => scopes.map((scope) => `\`${scope}\``).join(' and ')).join(', or ')
  operation.description = [operation.description, `Scopes: ${needed}`].filter(Boolean).join('\n\n')
}

/** What a parameter of a path should name: what the address of this page says, or something that exists in the demo. */
function targetOf(path: string, parameter: string): string | undefined {
  const demo = parameter === 'uuid' && path.startsWith('/post') ? targets.post : targets.reply
  return inAddress.get(parameter) ?? (parameter === 'user' ? targets.user : parameter === 'uuid' ? demo : undefined)
}

/** Replaces the examples of the document, which do not exist in this network. */
function fillIn(path: string, { parameters = [] }: Operation, components: OpenApi['components']): void {
  for (const [index, { $ref }] of parameters.entries()) {
    const name = $ref?.split('/').at(-1) ?? ''
    const target = targetOf(path, name)
    if (target) parameters[index] = { ...components?.parameters?.[name], example: target }
  }
}

const withScopesAndTargets = (update: (document: OpenApi) => unknown) => (document: OpenApi) => {
  const { paths = {}, components } = document
  for (const [path, operations] of Object.entries(paths)) {
    for (const operation of Object.values(operations)) {
      addScopes(operation)
      fillIn(path, operation, components)
    }
  }
  for (const { example } of Object.values(components?.schemas ?? {})) {
    if (targets.post && typeof example?.parent === 'string') example.parent = targets.post
  }
  return update(document)
}

const nothing = () => () => null

SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  domNode: byId('docs', HTMLElement),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  plugins: [
    {
      // The bar at the top has the token.
      wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing },
      statePlugins: { spec: { wrapActions: { updateJsonSpec: withScopesAndTargets } } },
    },
  ],
  requestInterceptor: (request) => {
    if (!request.loadSpec) Object.assign(request.headers, authorization())
    return request
  },
})

// Swagger UI selects its dark colours by a class.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
