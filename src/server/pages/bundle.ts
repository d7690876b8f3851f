import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative } from 'node:path'
import { z } from 'zod'
import { once } from '../static/once.ts'
import { type StaticResource, staticResource } from '../static/static-resource.ts'

/** A page of `src/browser`, by the source of its script. */
export type Entry = 'landing.ts' | 'timeline/main.ts' | 'graphiql/main.tsx' | 'docs.ts' | 'problem.ts'

/** The paths of what a page loads: its script, the scripts that are imported, and their styles. */
export type Bundle = {
  readonly script: string
  readonly imports: readonly string[]
  readonly styles: readonly string[]
}

const base = '/assets/'
// Made by `src/browser/build.js`.
const manifestPath = createRequire(import.meta.url).resolve('#browser/manifest.json')
const folder = dirname(manifestPath)

const chunkSchema = z.object({
  file: z.string(),
  imports: z.array(z.string()).default([]),
  css: z.array(z.string()).default([]),
})
const manifestSchema = z.record(z.string(), chunkSchema)
const manifest = once(async () => manifestSchema.parse(JSON.parse(await readFile(manifestPath, 'utf8'))))

/** What a page loads, with paths that change with the content. `ahead` names chunks that it will load later, and certainly. */
export async function bundleOf(entry: Entry, ahead: readonly string[] = []): Promise<Bundle> {
  const chunks = await manifest()
  const imported = new Set<z.infer<typeof chunkSchema>>()
  const visit = (name: string) => {
    const chunk = chunks[name]
    if (chunk === undefined) throw new Error(`dist/browser has no ${name}.`)
    if (imported.has(chunk)) return
    imported.add(chunk)
    chunk.imports.forEach(visit)
  }
  for (const name of [entry, ...ahead]) visit(name)
  const [own, ...others] = [...imported]
  if (own === undefined) throw new Error(`dist/browser has no ${entry}.`)
  return {
    script: base + own.file,
    imports: others.map(({ file }) => base + file),
    // Those of imports come first, so that the page can override them.
    styles: [...others, own].flatMap(({ css }) => css.map((file) => base + file)),
  }
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
}

const assets = once(async () => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return new Map(
    paths.flatMap((path): [string, StaticResource][] => {
      const mediaType = mediaTypes[extname(path)]
      if (mediaType === undefined) return []
      // The path contains a hash of the content, so a response never becomes stale.
      const headers = { 'content-type': mediaType, 'cache-control': 'public, max-age=31536000, immutable' }
      return [[base + relative(folder, path), staticResource(() => readFile(path), headers)]]
    }),
  )
})

/** The script or style at a path. Undefined for an unknown path, such as that of another version. */
export async function findAsset(path: string): Promise<StaticResource | undefined> {
  return path.startsWith(base) ? (await assets()).get(path) : undefined
}
