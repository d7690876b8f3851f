import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Kept, kept } from '../documents/kept.ts'
import { once } from '../documents/once.ts'

const assetsBase = '/assets/'

const { resolve } = createRequire(import.meta.url)

/** A file of Swagger UI, without the address of its source map, which is not served. */
async function ofSwaggerUI(name: string): Promise<string> {
  const text = await readFile(resolve(`swagger-ui-dist/${name}`), 'utf8')
  return text.replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '\n')
}

// GraphiQL comes as one page with everything in it. It is large, so it is loaded when somebody asks for it.
const ofGraphiQL = once(async () => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const parts = /<style>(?<style>.*?)<\/style>.*?<script>(?<script>.*)YogaGraphiQL\.renderYogaGraphiQL\(/s
  const { style, script } = parts.exec(renderGraphiQL())?.groups ?? {}
  if (style === undefined || script === undefined) throw new Error('The page of GraphiQL has no style or no script.')
  return { style, script }
})

// The address has the hash of what is there, so it never changes.
const forever = { 'cache-control': 'public, max-age=31536000, immutable' }
const script = { 'content-type': 'text/javascript; charset=utf-8', ...forever }
const style = { 'content-type': 'text/css; charset=utf-8', ...forever }

const assets = {
  'graphiql.js': kept(async () => (await ofGraphiQL()).script, script),
  'graphiql.css': kept(async () => (await ofGraphiQL()).style, style),
  'swagger-ui.js': kept(() => ofSwaggerUI('swagger-ui-bundle.js'), script),
  'swagger-ui.css': kept(() => ofSwaggerUI('swagger-ui.css'), style),
}
type AssetName = keyof typeof assets

/** The path of a script or style, which changes with what is in it. */
export async function assetPath(name: AssetName): Promise<string> {
  return `${assetsBase}${await assets[name].hash()}/${name}`
}

/** The script or style at a path, or undefined where there is none, say because it is that of another version. */
export async function findAsset(path: string): Promise<Kept | undefined> {
  if (!path.startsWith(assetsBase)) return undefined
  for (const [name, asset] of Object.entries(assets)) {
    if (path.endsWith(`/${name}`) && path === `${assetsBase}${await asset.hash()}/${name}`) return asset
  }
  return undefined
}
