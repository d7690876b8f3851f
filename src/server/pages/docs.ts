import type { Answer } from '../answer.ts'
import { assetPath } from './assets.ts'
import type { DemoAccess } from './demo-access.ts'
import { answerPage } from './page.ts'
import { tokenBar } from './token-bar.ts'

const style = `${tokenBar.style}
body { margin: 0; background: var(--ground); }
.swagger-ui .wrapper { padding: 0 1rem; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui table.headers td.header-col { color: inherit; }
/* There is one server and no link between operations; headers of refusals are the same everywhere. */
.swagger-ui :is(.scheme-container, .response-col_links, .response:not([data-code^="2"]) .headers-wrapper) { display: none; }
`

// The token bar stands in for Swagger UI's own way to give a token, which would also be the only place that tells of scopes.
// Its dark colours go with a class.
const script = `${tokenBar.script}
const nothing = () => () => null
function tellScopes(operation) {
  const sets = (operation.security ?? []).flatMap((requirement) => Object.values(requirement))
  if (sets.length === 0) return
  const needed = sets.map((scopes) => scopes.map((scope) => '\`' + scope + '\`').join(' and ')).join(', or ')
  operation.description = [operation.description, 'Scopes: ' + needed].filter(Boolean).join('\\n\\n')
}
// Examples that are there: those of the document name nothing in this network.
const { post, reply, user } = options.targets
function fillIn(path, operation, { parameters }) {
  const targets = { uuid: path.startsWith('/post') ? post : reply, user }
  operation.parameters?.forEach((parameter, index) => {
    const name = parameter.$ref?.split('/').at(-1)
    if (targets[name]) operation.parameters[index] = { ...parameters[name], example: targets[name] }
  })
}
const scopesAndTargets = (update) => (document) => {
  const { paths = {}, components = {} } = document
  for (const [path, operations] of Object.entries(paths)) {
    for (const operation of Object.values(operations)) {
      tellScopes(operation)
      fillIn(path, operation, components)
    }
  }
  for (const { example } of Object.values(components.schemas ?? {})) {
    if (post && typeof example?.parent === 'string') example.parent = post
  }
  return update(document)
}
SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  domNode: document.getElementById('docs'),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  plugins: [{
    wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing },
    statePlugins: { spec: { wrapActions: { updateJsonSpec: scopesAndTargets } } },
  }],
  requestInterceptor: (request) => {
    if (!request.loadSpec) Object.assign(request.headers, authorize(request.headers))
    return request
  },
})
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
`

/** `/api/v1/docs`: Swagger UI with the OpenAPI document; the demo's token and what can be tried with it are filled in, if any. */
export async function docs(demo: DemoAccess | undefined): Promise<Answer> {
  return answerPage({
    title: 'Rookery REST',
    style,
    styles: [await assetPath('swagger-ui.css')],
    scripts: [await assetPath('swagger-ui.js')],
    body: `${tokenBar.body('/api/v1/docs')}\n<div id="docs"></div>`,
    options: { token: demo?.token, targets: demo?.targets ?? {} },
    script,
    policy: ["connect-src 'self'"],
  })
}
