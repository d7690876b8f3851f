import './bar.ts'
import 'swagger-ui-dist/swagger-ui.css'
import './docs.css'
// @ts-expect-error: it has no types.
import SwaggerUIBundle from 'swagger-ui-dist/swagger-ui-bundle.js'
import { byId, element } from './dom.ts'
import { canSignIn, client, scope } from './sign-in.ts'
import { authorization, demo, isDemo, prefix, setToken } from './token.ts'

type Request = {
  readonly loadSpec?: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly curlOptions?: readonly string[]
}
type Parameter = { readonly $ref?: string; readonly required?: boolean; example?: unknown }
type Operation = {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: Parameter[]
  description: string
}
type OpenApi = {
  readonly tags?: readonly { readonly name: string }[]
  servers?: { readonly url: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: {
    readonly securitySchemes: { token?: unknown }
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
        const example = examples[name.replace('InPath', '')]
        if (example) operation.parameters?.splice(index, 1, { ...components?.parameters[name], example })
      }
      // Swagger UI only shows the scopes in its own form for tokens.
      const sets = operation.security.flatMap(({ oauth }) => (oauth ? [oauth] : []))
      const needed = sets.map((scopes) => scopes.map((scope) => `\`${scope}\``).join(' and ')).join(', or ')
      operation.description += `\n\nScopes: ${needed}`
    }
  }
  if (post && components) components.schemas.SendReplyBody.example.parent = post
}

const nothing = () => () => null
const updateJsonSpec = (update: (document: OpenApi) => unknown) => (document: OpenApi) => {
  fillIn(document)
  listObjects(document)
  // The bar at the top takes tokens.
  delete document.components?.securitySchemes.token
  // This page may only call its own origin, whatever address the server knows.
  document.servers = [{ url: `${prefix}/api/v1` }]
  return update(document)
}

/** Lists the kinds of objects, which the operations are grouped by, beside them. */
function listObjects({ tags = [] }: OpenApi): void {
  const links = tags.map(({ name }) => element('a', { href: `#operations-tag-${name}` }, name))
  byId('objects').replaceChildren(...links, element('a', { href: '#errors' }, 'Error codes'))
}

/** Shows a command with `$TOKEN` instead of the token. */
const setMutatedRequest =
  (set: (path: string, method: string, request: Request) => unknown) =>
  (path: string, method: string, request: Request) => {
    const { Authorization: token, ...headers } = request.headers
    const curlOptions = token ? ['-H "Authorization: Bearer $TOKEN"'] : []
    return set(path, method, { ...request, headers, curlOptions })
  }

/** Opens the first operation, and runs it where the demo has a post for it, so that the first thing to see is a response. */
function showResponse(): void {
  // The page has a main landmark already.
  byId('docs').querySelector('main')?.setAttribute('role', 'group')
  if (location.hash) return
  document.querySelector<HTMLElement>('.opblock-summary-control')?.click()
  const watch = new MutationObserver(() => {
    if (!document.querySelector('.opblock.is-open .execute')) return
    watch.disconnect()
    history.replaceState(null, '', location.pathname + location.search)
    // Swagger UI fills in the parameters after it has drawn them.
    const execute = () => document.querySelector<HTMLElement>('.opblock.is-open .execute')?.click()
    if (isDemo() && post) requestAnimationFrame(() => setTimeout(execute))
  })
  watch.observe(byId('docs'), { childList: true, subtree: true })
}

/** Keeps the token that "Authorize" got where all pages have theirs, and closes its dialog. */
const authorizeOauth2 =
  (_: unknown, { authActions }: { readonly authActions: { showDefinitions(shown: boolean): unknown } }) =>
  ({ token }: { readonly token: { readonly access_token: string } }) => {
    setToken(token.access_token)
    return authActions.showDefinitions(false)
  }

const ui = SwaggerUIBundle({
  url: `${prefix}/api/v1/openapi.json`,
  domNode: byId('docs'),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: false,
  oauth2RedirectUrl: client.redirect_uri,
  plugins: [
    { wrapComponents: { authorizeOperationBtn: nothing, ...(!canSignIn && { authorizeBtn: nothing }) } },
    {
      statePlugins: {
        auth: { wrapActions: { authorizeOauth2 } },
        spec: { wrapActions: { updateJsonSpec, setMutatedRequest } },
      },
    },
  ],
  onComplete: showResponse,
  requestInterceptor: (request: Request) => {
    if (!request.loadSpec) Object.assign(request.headers, authorization())
    return request
  },
})
ui.initOAuth({ clientId: client.client_id, scopes: scope, usePkceWithAuthorizationCodeGrant: true })

// Swagger UI selects its dark colours by a class.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
