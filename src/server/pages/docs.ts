import type { Answer } from '../answer.ts'
import { assetPath } from './assets.ts'
import { answerPage } from './page.ts'
import { tokenBar } from './token-bar.ts'

const style = `${tokenBar.style}
body { margin: 0; background: var(--ground); }
.swagger-ui .wrapper { padding: 0 1rem; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .scheme-container { display: none; }
`

// The token bar stands in for Swagger UI's own way to give a token, and there is but one server. Its dark colours go with a class.
const script = `${tokenBar.script}
const nothing = () => () => null
SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  domNode: document.getElementById('docs'),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  plugins: [{ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } }],
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

/** `/api/v1/docs`: Swagger UI with the OpenAPI document; the token, if any, is in its field from the start. */
export async function docs(token: string | undefined): Promise<Answer> {
  return answerPage({
    title: 'Rookery REST',
    style,
    styles: [await assetPath('swagger-ui.css')],
    scripts: [await assetPath('swagger-ui.js')],
    body: `${tokenBar.body('/api/v1/docs')}\n<div id="docs"></div>`,
    options: { token },
    script,
    policy: ["connect-src 'self'"],
  })
}
