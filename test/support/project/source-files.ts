import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** An import of a file: the path of a file of the project, or the name of a package. */
export type Import = {
  readonly from: string
  readonly to: string
  readonly isRelative: boolean
  readonly isTypeOnly: boolean
  /** Whether it is a dynamic import. */
  readonly isDynamic: boolean
}

const root = new URL('../../..', import.meta.url).pathname

const statement = /^(?:import|export)\s+(?<type>type\s+)?(?:[\w*{][^'"]*?\s+from\s+)?'(?<specifier>[^']+)'/gm
const call = /\bimport\(\s*'(?<specifier>[^']+)'\s*\)/g

/** Folders of generated or installed files. Other tests change them while this one reads. */
const made = new Set(['dist', 'generated', 'node_modules'])

/** The hand-written TypeScript files below a folder of the project, as paths from its root. */
export function sourceFiles(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const paths = entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return made.has(entry.name) ? [] : sourceFiles(path)
    return /\.tsx?$/.test(path) ? [path] : []
  })
  return paths.toSorted()
}

/** The text of a file of the project. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The imports of a file. */
export function importsOf(from: string): Import[] {
  const text = textOf(from)
  return [...text.matchAll(statement), ...text.matchAll(call)].map(({ 0: matched, groups = {} }) => {
    const { specifier = '', type } = groups
    const isRelative = specifier.startsWith('.')
    const to = isRelative ? normalize(join(dirname(from), specifier)) : specifier
    return { from, to, isRelative, isTypeOnly: type !== undefined, isDynamic: matched.startsWith('import(') }
  })
}
