import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'

/** The script of a page, in `src/browser`. */
export type Entry = 'landing.ts' | 'timeline.ts' | 'graphiql.tsx' | 'docs.ts' | 'callback.ts' | 'problem.ts'

// Made by `src/browser/build.js`.
const manifestFile = createRequire(import.meta.url).resolve('#browser/manifest.json')

/** The folder of the scripts and styles. Each has a compressed file beside it, with the extension `.br` or `.gz`. */
export const assetsFolder = dirname(manifestFile)

/** The path at which they are served. */
export const assetsPath = '/assets/'

const paths = z.array(z.string()).default([])
const manifestSchema = z.record(z.string(), z.object({ file: z.string(), imports: paths, css: paths }))
let manifest: z.infer<typeof manifestSchema> | undefined

const chunksOf = async () => {
  manifest ??= manifestSchema.parse(JSON.parse(await readFile(manifestFile, 'utf8')))
  return manifest
}

/** The texts of the GraphQL documents that the pages send. */
export async function pageDocuments(): Promise<ReadonlySet<string>> {
  const file = (await chunksOf())['documents.ts']?.file ?? ''
  const exported: Readonly<Record<string, unknown>> = await import(String(new URL(file, pathToFileURL(manifestFile))))
  return new Set(Object.values(exported).map(String))
}

/** The paths of what a page loads, which change with the content: its script, the scripts that are imported, and their styles. */
export async function bundleOf(entry: Entry) {
  const chunks = await chunksOf()
  const names = new Set<string>([entry])
  for (const name of names) for (const imported of chunks[name]?.imports ?? []) names.add(imported)
  const loaded = [...names].flatMap((name) => chunks[name] ?? [])
  const [script = '', ...imports] = loaded.map(({ file }) => assetsPath + file)
  // Those of imports come first, so that the page can override them.
  return { script, imports, styles: loaded.reverse().flatMap(({ css }) => css.map((file) => assetsPath + file)) }
}
