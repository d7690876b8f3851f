import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import type { Statement } from './backend.ts'

declare module 'pg' {
  interface Connection {
    /** The statements that the driver considers prepared: texts by name. */
    readonly parsedStatements: Record<string, string>
  }
}

/**
 * The maximum number and length of prepared client statements on one connection. A plan takes about 170 bytes for each
 * character of its text, so this is about 20 MiB.
 */
const sentBounds = { statements: 256, characters: 131_072 } as const

/** The maximum length of a prepared text, in characters. */
const longestText = 32_768

/** How many characters of client statements are remembered to detect repetition, with the assumed overhead of each. */
const remembered = { characters: 4_000_000, overhead: 200 } as const

const nameFor = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * Assigns names to prepared statements, so that PostgreSQL parses and plans a text once for each connection. Built-in texts get
 * a name at once and keep it. Client statements get one when they repeat, and lose it when others evict them. The empty name is
 * the protocol's unnamed statement.
 */
export class PreparedStatements {
  readonly #builtIn = new Map<string, string>()
  /** The names of client statements: empty for one that was seen once. */
  readonly #sent = new LRUCache<string, { readonly name: string }>({
    maxSize: remembered.characters,
    sizeCalculation: (_name, text) => text.length + remembered.overhead,
  })
  readonly #prepared = new WeakMap<pg.Client, LRUCache<string, number>>()

  /** The name of a built-in text, on any connection. */
  nameOfBuiltIn(text: string): string {
    const known = this.#builtIn.get(text)
    if (known !== undefined || text.length > longestText) return known ?? ''
    const name = nameFor(text)
    this.#builtIn.set(text, name)
    return name
  }

  /** The name of a statement on an idle connection that is about to run it. Closes the statements that it evicts. */
  nameOf({ text, preparation }: Pick<Statement, 'text' | 'preparation'>, client: pg.Client): string {
    if (preparation === 'always' || this.#builtIn.has(text)) return this.nameOfBuiltIn(text)
    const seen = this.#sent.get(text)
    if (!seen && (preparation === 'never' || text.length > longestText)) return ''
    const name = seen && (seen.name || nameFor(text))
    if (!seen?.name) this.#sent.set(text, { name: name ?? '' })
    if (name === undefined) return ''
    const prepared = this.#prepared.get(client) ?? namesOn(client)
    this.#prepared.set(client, prepared)
    if (prepared.get(name) === undefined) prepared.set(name, text.length)
    return name
  }
}

/** The prepared names of a connection, with the lengths of their texts. */
function namesOn({ connection }: pg.Client): LRUCache<string, number> {
  return new LRUCache({
    max: sentBounds.statements,
    maxSize: sentBounds.characters,
    sizeCalculation: (length) => length,
    dispose: (_length, name) => {
      // Sent together with the next statement.
      connection.close({ type: 'S', name }, true)
      delete connection.parsedStatements[name]
    },
  })
}
