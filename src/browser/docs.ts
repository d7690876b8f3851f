import './bar.ts'
import 'swagger-ui-dist/swagger-ui.css'
import './docs.css'
import type { ComponentType, ReactNode } from 'react'
// @ts-expect-error: it has no types.
import SwaggerUIBundle from 'swagger-ui-dist/swagger-ui-bundle.js'
import { byId } from './element.ts'
import { prefix } from './prefix.ts'
import { authorization, demo } from './session.ts'

type Request = { readonly loadSpec?: boolean; readonly headers: Readonly<Record<string, string>> }
type Parameter = { readonly $ref?: string; readonly required?: boolean; example?: unknown }
type Operation = {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: Parameter[]
  description: string
}
type OpenApi = {
  servers?: { readonly url: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: { readonly SendReplyBody: { readonly example: { parent: string } } }
  }
}

const { post, reply, user } = demo.targets ?? {}
const inAddress = new URLSearchParams(location.search)
const username = inAddress.get('username')

/**
 * Replaces the examples of the document by what the address of this page names, or by something that exists in the demo. Those of optional
 * parameters would be sent too, so they are removed.
 */
function fillIn({ paths = {}, components }: OpenApi): void {
  const all = Object.values(paths).flatMap((operations) => Object.values(operations))
  const parameters = [...all.flatMap((it) => it.parameters ?? []), ...Object.values(components?.parameters ?? {})]
  for (const parameter of parameters) if (!parameter.required) delete parameter.example
  for (const [path, operations] of Object.entries(paths)) {
    const examples: Readonly<Record<string, string | undefined>> = {
      uuid: inAddress.get('uuid') ?? (path.startsWith('/post') ? post : reply),
      user: username === null ? user : `@${username}`,
    }
    for (const operation of Object.values(operations)) {
      for (const [index, { $ref = '' }] of (operation.parameters ?? []).entries()) {
        const name = $ref.slice('#/components/parameters/'.length)
        const example = examples[name]
        if (example) operation.parameters?.splice(index, 1, { ...components?.parameters[name], example })
      }
      // Swagger UI only shows the scopes in its own form for tokens.
      const sets = operation.security.flatMap((requirement) => Object.values(requirement))
      const needed = sets.map((scopes) => scopes.map((scope) => `\`${scope}\``).join(' and ')).join(', or ')
      operation.description += `\n\nScopes: ${needed}`
    }
  }
  if (post && components) components.schemas.SendReplyBody.example.parent = post
}

type Properties = Readonly<Record<string, unknown>>
type System = {
  readonly React: Pick<typeof import('react'), 'createElement'>
  readonly specSelectors: { info(): { get(name: string): unknown } }
  getComponent(name: string, isContainer: boolean): ComponentType<Properties>
}

/** Shows the introduction above the schemas, which are below the operations, instead of at the top. */
const introductionBelow = {
  statePlugins: { spec: { wrapSelectors: { selectInfoDescriptionField: () => () => '' } } },
  wrapComponents: {
    Models:
      (Models: ComponentType<Properties>, { React, specSelectors, getComponent }: System) =>
      (properties: Properties): ReactNode => [
        React.createElement(
          'section',
          { key: 'introduction' },
          React.createElement('h2', {}, 'Introduction'),
          React.createElement(getComponent('Markdown', true), { source: specSelectors.info().get('description') }),
        ),
        React.createElement(Models, { ...properties, key: 'models' }),
      ],
  },
}

const nothing = () => () => null
const updateJsonSpec = (update: (document: OpenApi) => unknown) => (document: OpenApi) => {
  fillIn(document)
  // This page may only call its own origin, whatever address the server knows.
  document.servers = [{ url: `${prefix}/api/v1` }]
  return update(document)
}

SwaggerUIBundle({
  url: `${prefix}/api/v1/openapi.json`,
  domNode: byId('docs'),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: false,
  plugins: [
    // The bar at the top has the token.
    { wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } },
    introductionBelow,
    { statePlugins: { spec: { wrapActions: { updateJsonSpec } } } },
  ],
  requestInterceptor: (request: Request) => {
    if (!request.loadSpec) Object.assign(request.headers, authorization())
    return request
  },
})

// Swagger UI selects its dark colours by a class.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
