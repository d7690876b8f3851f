import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Reader, ReaderKind } from '../../engine/compiler/reader.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { kindsWithout } from '../base/permissions.ts'
import { rulesOfAll, rulesOfBlocksAndMutes, rulesOfModerators, withoutKinds } from './rules.ts'

/** What avatars are derived from: the e-mail address, as Gravatar does, or the id of the user. */
export type Avatar = 'gravatar' | 'identicon'

/** What reads depend on of their viewer. */
export type ReadingViewer = Pick<Viewer, 'id' | 'tokenId' | 'scopes' | 'followsMany'>

/** For whom an operation reads, and what else its reads depend on. */
type ReaderOptions = {
  readonly viewer: ReadingViewer | undefined
  /** Whether others are hidden from the viewer in particular. */
  readonly hides: boolean
  readonly avatar: Avatar
  /** Above which key the viewer is notified of events. */
  readonly toldSince: string
}

const row = {
  id: sql`uuid`,
  token_id: sql`uuid`,
  reads_email: sql`boolean`,
  sees_gravatars: sql`boolean`,
  told_since: sql`uuid`,
} as const

/** The form of reads for viewers who follow many accounts. */
export const followsMany = 'followsMany'

type Kind = ReaderKind & { readonly rules: typeof rulesOfAll }

// Moderators, those from whom others are hidden, and all others.
const rules = { moderator: rulesOfModerators, hides: rulesOfBlocksAndMutes, other: rulesOfAll } as const
const kindsOf = (name: keyof typeof rules): Readonly<Record<'few' | 'many', Kind>> => ({
  few: { name, row, rules: rules[name] },
  many: { name: `${name} ${followsMany}`, row, rules: rules[name], form: followsMany },
})
const kinds = { moderator: kindsOf('moderator'), hides: kindsOf('hides'), other: kindsOf('other') } as const

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

const longest: ReaderKind = lacking(kinds.hides.many, kindsWithout(new Set()))

/** The reader of statements that a viewer is; without one, somebody without a token. */
export function viewerReader({ viewer, hides, avatar, toldSince }: ReaderOptions): Reader {
  const visibility = viewer?.scopes.has('moderation.manage') ? 'moderator' : hides ? 'hides' : 'other'
  const kind = lacking(
    kinds[visibility][viewer?.followsMany ? 'many' : 'few'],
    viewer ? kindsWithout(viewer.scopes) : [],
  )
  const readsEmail = viewer?.scopes.has('user.email') ?? false
  const values = [viewer?.id ?? null, viewer?.tokenId ?? null, readsEmail, avatar === 'gravatar', toldSince]
  return { kind, longest, values }
}
