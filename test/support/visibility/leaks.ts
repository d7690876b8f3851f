import { decodeCursor } from '../../../src/engine/compiler/page-range.ts'
import type { Written } from './facts.ts'
import { type Network, wordsIn } from './network.ts'
import type { Reader } from './rule.ts'

/** Where a text is in a response: the keys that lead to it, without indexes, and its object. */
type Place = { readonly keys: readonly string[]; readonly owner: object; readonly isInArray: boolean }

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Calls back for each text of a response. */
function eachText(value: unknown, see: (text: string, place: Place) => void, place?: Place): void {
  if (typeof value === 'string' && place) see(value, place)
  if (Array.isArray(value)) {
    for (const item of value) eachText(item, see, { keys: [], owner: {}, ...place, isInArray: true })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  for (const [key, item] of Object.entries(value)) {
    const keys = [...(place?.keys ?? []), key.replace(/_\d+$/, '')]
    eachText(item, see, { keys, owner: value, isInArray: place?.isInArray ?? false })
  }
}

/** Names of fields that find one object by its uuid, or lead to one. */
const single = new Set(['post', 'reply', 'parent', 'quoted', 'quote'])
const several = new Set(['publications', 'node', 'nodes'])

/** Finds what a response shows that the rule does not grant. */
export class Leaks {
  readonly #network: Network
  readonly #byUuid: ReadonlyMap<string, Written>
  readonly #byWord: ReadonlyMap<string, Written>

  constructor(network: Network) {
    const { written } = network.facts
    this.#network = network
    this.#byUuid = new Map(written.map((it) => [it.uuid, it]))
    this.#byWord = new Map(written.flatMap((it) => [it.word, ...it.earlier].map((word) => [word, it])))
  }

  /** What a response shows that it should not, in words. `isOne` says that its path names one object, or several by their uuids. */
  in(response: unknown, reader: Reader, isOne = false): string[] {
    const found = new Set<string>()
    eachText(response, (text, place) => {
      const leak = this.#leakIn(text, place, reader, isOne)
      if (leak) found.add(`${leak} at ${place.keys.join('.')}`)
    })
    return [...found]
  }

  #leakIn(text: string, place: Place, reader: Reader, isOne: boolean): string | undefined {
    for (const word of wordsIn(text)) {
      const it = this.#byWord.get(word)
      const isEvidence = reader.moderates && place.keys.includes('reports')
      if (it && !isEvidence && !(this.#grants(place, reader, it, isOne) && it.word === word)) return `the text ${word}`
    }
    for (const uuid of [...(text.match(uuids) ?? []), ...hiddenUuids(text, place.keys)]) {
      const it = this.#byUuid.get(uuid)
      if (it && !this.#mayName(place, reader, it, isOne)) return `the uuid of ${it.word}`
    }
    return undefined
  }

  #grants({ keys, isInArray }: Place, reader: Reader, it: Written, isOne: boolean): boolean {
    const { rule } = this.#network
    const at = keys.at(-2) ?? ''
    const isFound =
      single.has(at) ||
      (isOne && (!isInArray || keys.length <= 2)) ||
      (several.has(at) && keys.length === 2) ||
      keys.includes('reports')
    return isFound ? rule.finds(reader, it) : rule.lists(reader, it)
  }

  #mayName(place: Place, reader: Reader, it: Written, isOne: boolean): boolean {
    const { keys, owner } = place
    const [key, at] = [keys.at(-1) ?? '', keys.at(-2) ?? '']
    // Threads keep the places of what they do not show, and replies and quotes name what they refer to.
    if (['parentUuid', 'parent', 'quotedUuid', 'quote'].includes(key) || keys.includes('places')) return true
    if (['parent', 'quoted', 'quote'].includes(at) && 'deleted' in owner && owner.deleted === true) return true
    if (keys.includes('thread') && /cursor/i.test(key)) return true
    if (key === 'subjectUuid' || key === 'subject_uuid') return reader.moderates
    // An account exports what it likes and bookmarks.
    if (key === 'publication') return true
    const isChange = keys[0] === 'changes' && (at === 'nodes' || at === 'changes')
    if (isChange && key === 'uuid') return this.#network.rule.tells(reader, it)
    if (single.has(key)) return this.#network.rule.finds(reader, it)
    return this.#grants(place, reader, it, isOne)
  }
}

/** The uuids in cursors and global ids. */
function hiddenUuids(text: string, keys: readonly string[]): string[] {
  const hex = decodeCursor(text)
  if (hex) return [hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')]
  return keys.at(-1) === 'id' ? (Buffer.from(text, 'base64').toString().match(uuids) ?? []) : []
}
