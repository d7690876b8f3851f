import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'

declare module 'pg' {
  interface Connection {
    /** What the driver believes to be prepared: texts by name. */
    readonly parsedStatements: Record<string, string>
  }
}

/**
 * How much of the program's own texts is prepared, in number and characters; more than there are, so it only guards against a mistake.
 */
const ownBounds = { statements: 1_000, characters: 1_000_000 } as const

/**
 * How much of what clients compose is prepared on one connection, in number and characters. A plan takes about 170 bytes for each
 * character of its text, so this is 20 MiB.
 */
const sentBounds = { statements: 256, characters: 131_072 } as const

/** The longest text that is prepared, in characters. */
const longestText = 32_768

/** How many characters of texts that clients composed are remembered, to see whether they repeat. Each counts as some more. */
const rememberedCharacters = 4_000_000
const besideText = 200

/** Begins a text that is not to be prepared. */
export const unprepared = '/* once */ '

type Names = LRUCache<string, number>

const nameFor = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * Names for prepared statements, so that PostgreSQL parses and plans a text once for each connection. The program's own texts get
 * one at once and keep it. What clients compose gets one when it repeats, and loses it when others displace it. The empty name is
 * the protocol's way to keep nothing.
 */
export class PreparedStatements {
  readonly #own = new Map<string, string>()
  #ownCharacters = 0
  /** The names of texts that clients composed: empty for one that was seen once. */
  readonly #sent = new LRUCache<string, { readonly name: string }>({
    maxSize: rememberedCharacters,
    sizeCalculation: (_name, text) => text.length + besideText,
  })
  readonly #prepared = new WeakMap<pg.Client, Names>()

  /** The name of a text of the program's own, on any connection. */
  ofOwn(text: string): string {
    const known = this.#own.get(text)
    if (known !== undefined) return known
    const isRefused = this.#own.size >= ownBounds.statements || this.#ownCharacters + text.length > ownBounds.characters
    if (isRefused || text.startsWith(unprepared)) return ''
    const name = nameFor(text)
    this.#own.set(text, name)
    this.#ownCharacters += text.length
    return name
  }

  /** The name of a text that a client composed, on an idle connection that is about to run it. Closes there what it displaces. */
  ofSent(text: string, client: pg.Client): string {
    const name = this.#own.get(text) ?? this.#nameOfSent(text)
    if (name === '' || this.#own.has(text)) return name
    const prepared = this.#prepared.get(client) ?? newNames(client)
    this.#prepared.set(client, prepared)
    if (prepared.get(name) === undefined) prepared.set(name, text.length)
    return name
  }

  #nameOfSent(text: string): string {
    if (text.length > longestText) return ''
    const seen = this.#sent.get(text)
    if (seen?.name) return seen.name
    const name = seen ? nameFor(text) : ''
    this.#sent.set(text, { name })
    return name
  }
}

/** The names that are prepared on a connection, with the length of their texts. */
function newNames(client: pg.Client): Names {
  const { connection } = client
  return new LRUCache({
    max: sentBounds.statements,
    maxSize: sentBounds.characters,
    sizeCalculation: (length) => length,
    dispose: (_length, name) => {
      // It is executed along with the statement that follows.
      connection.close({ type: 'S', name }, true)
      delete connection.parsedStatements[name]
    },
  })
}
