import { ids } from '../networks/small-network.ts'
import { Lines } from './answer.ts'
import type { Row } from './operation.ts'

const id = (ending: string) => `019ab2c4-0000-7000-8000-0000000000${ending}`
const from = ids.loom

/** What Ada has. */
const lines = [
  {
    type: 'header',
    version: 1,
    server: { name: 'Rookery', version: '0.1.0' },
    account: {
      uuid: ids.ada,
      username: 'Ada',
      email_verified: true,
      badges: ['Early', 'Founder'],
      joined_at: '2026-01-02T03:04:05.999Z',
    },
  },
  {
    type: 'profile',
    display_name: 'Ada Lovelace',
    bio: 'Numbers & weaving.',
    email: 'ada@example.org',
    is_private: false,
    language: null,
    reading_languages: [],
  },
  {
    type: 'application',
    uuid: from,
    name: 'Loom',
    website: 'https://loom.example/',
    created_at: '2026-01-02T03:04:05.999Z',
  },
  {
    ...{ type: 'publication', uuid: ids.adaPost, parent: null, content: 'A post', from, locked: false },
    ...{
      quote: null,
      quotable: true,
      created_at: '2026-03-04T05:06:07.999Z',
      edited_at: null,
      audience: 'everybody',
      addressees: null,
      warning: null,
      language: null,
    },
  },
  {
    ...{ type: 'publication', uuid: ids.adaReply, parent: ids.bobPost, content: 'A reply', from, locked: true },
    ...{
      quote: null,
      quotable: true,
      created_at: '2026-03-04T05:06:09.999Z',
      edited_at: null,
      audience: 'everybody',
      addressees: null,
      warning: null,
      language: null,
    },
  },
  {
    ...{ type: 'publication', uuid: ids.adaOrphan, parent: ids.adaGone, content: 'A reply to nothing', from: null },
    ...{
      locked: false,
      quote: null,
      quotable: true,
      created_at: '2026-03-04T05:06:13.999Z',
      edited_at: null,
      audience: 'everybody',
      addressees: null,
      warning: null,
      language: null,
    },
  },
  { type: 'like', id: id('52'), publication: ids.bobPost },
  { type: 'bookmark', id: id('61'), publication: ids.bobPost },
  { type: 'bookmark', id: id('62'), publication: ids.bobReply },
  { type: 'follow', id: id('43'), user: { uuid: ids.cyd, username: 'cyd' } },
  { type: 'block', id: id('61'), user: { uuid: ids.dan, username: 'dan' } },
  { type: 'mute', id: id('71'), user: { uuid: ids.cyd, username: 'cyd' }, until: null },
]

/** The export, which the interface does not have. */
export const exportOperations: readonly Row[] = [
  { name: 'get export', method: 'GET', path: () => '/export', scopes: ['account.export'], answer: new Lines(lines) },
]
