import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'

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

const chunkSchema = z.object({
  file: z.string(),
  imports: z.array(z.string()).default([]),
  css: z.array(z.string()).default([]),
})
const manifestSchema = z.record(z.string(), chunkSchema)
let parsed: z.infer<typeof manifestSchema> | undefined

/** Reads the manifest on first use, so that the server starts without it. */
async function manifest(): Promise<z.infer<typeof manifestSchema>> {
  parsed ??= manifestSchema.parse(JSON.parse(await readFile(manifestPath, 'utf8')))
  return parsed
}

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
