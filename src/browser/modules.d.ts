declare module '*.css'

declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  type Request = { readonly loadSpec?: boolean; readonly headers: Record<string, string> }

  /** Shows Swagger UI. Its options are at https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/. */
  export default function SwaggerUIBundle(options: {
    readonly domNode: HTMLElement
    readonly requestInterceptor: (request: Request) => Request
    readonly plugins: readonly object[]
    readonly [option: string]: unknown
  }): unknown
}
