import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Reader, ReaderKind } from '../../engine/compiler/field-reads.ts'
import { kindsWithout } from '../base/kinds.ts'
import { rulesOfAll, rulesOfBlocksAndMutes, rulesOfModerators, rulesOfRestricted, withoutKinds } from './rules.ts'
import { viewerRow } from './viewer.ts'

/** What avatars are derived from: the e-mail address, as Gravatar does, or the id of the user. */
export type Avatar = 'gravatar' | 'identicon'

/** What reads depend on of their viewer. */
export type ReadingViewer = Pick<Viewer, 'id' | 'tokenId' | 'scopes' | 'followsMany'>

/** For whom an operation reads, and what else its reads depend on. */
type ReaderOptions = {
  readonly viewer: ReadingViewer | undefined
  /** Whether blocks or mutes hide others from the viewer. */
  readonly hasBlocksOrMutes: boolean
  /** Whether the viewer has a restriction, such as a suspension, which may hide them from everybody else. */
  readonly isRestricted: boolean
  readonly avatar: Avatar
  /** Above which key the viewer is notified of events. */
  readonly notifyAfter: string
}

/** The form of reads for viewers who follow many accounts. */
export const followsMany = 'followsMany'

type Kind = ReaderKind & { readonly rules: typeof rulesOfAll }

// Those who may be hidden from others, moderators, those from whom others are hidden, and all others.
const rules = {
  restricted: rulesOfRestricted,
  moderator: rulesOfModerators,
  blocksOrMutes: rulesOfBlocksAndMutes,
  other: rulesOfAll,
} as const
const kindsOf = (name: keyof typeof rules): Readonly<Record<'few' | 'many', Kind>> => ({
  few: { name, row: viewerRow, rules: rules[name] },
  many: { name: `${name} ${followsMany}`, row: viewerRow, rules: rules[name], form: followsMany },
})
const kinds = {
  restricted: kindsOf('restricted'),
  moderator: kindsOf('moderator'),
  blocksOrMutes: kindsOf('blocksOrMutes'),
  other: kindsOf('other'),
} as const

/** Those of them whose tokens may not see changes of these kinds. */
function lacking(kind: Kind, unseen: readonly string[]): Kind {
  if (unseen.length === 0) return kind
  return {
    ...kind,
    name: `${kind.name} without ${unseen}`,
    // Only needed where a statement is not compiled yet.
    get rules() {
      return withoutKinds(kind.rules, unseen)
    },
  }
}

const longest: ReaderKind = lacking(kinds.restricted.many, kindsWithout(new Set()))

/** The reader of statements that a viewer is; without one, somebody without a token. */
export function viewerReader({ viewer, isRestricted, hasBlocksOrMutes, avatar, notifyAfter }: ReaderOptions): Reader {
  const moderates = viewer?.scopes.has('moderation.manage')
  const others = hasBlocksOrMutes ? 'blocksOrMutes' : 'other'
  const visibility = isRestricted ? 'restricted' : moderates ? 'moderator' : others
  const kind = lacking(
    kinds[visibility][viewer?.followsMany ? 'many' : 'few'],
    viewer ? kindsWithout(viewer.scopes) : [],
  )
  const readsEmail = viewer?.scopes.has('user.email') ?? false
  const values = [viewer?.id ?? null, viewer?.tokenId ?? null, readsEmail, avatar === 'gravatar', notifyAfter]
  return { kind, longest, values }
}
