import { expect, test } from 'vitest'
import { canonicalAddress } from '../../../src/features/base/email-address.ts'

const long = 'x'.repeat(63)

test.each([
  ['Ada@Example.ORG', 'ada@example.org'],
  ["o'hara+news@mail.example", "o'hara+news@mail.example"],
  ['ada@localhost', 'ada@localhost'],
  ['ada@ⓔxample.org', 'ada@example.org'],
  ['ada@example．org', 'ada@example.org'],
  ['ada@ex\u{ad}ample.org', 'ada@example.org'],
  ['fay@Bücher.example', 'fay@xn--bcher-kva.example'],
  ['fay@xn--bcher-kva.example', 'fay@xn--bcher-kva.example'],
  ['ZOE\u{308}@mail.example', 'zoë@mail.example'],
  ['\u{212a}im@mail.example', 'kim@mail.example'],
  ['寿司@例え.example', '寿司@xn--r8jz45g.example'],
  ['नमस्ते@डाटा.example', 'नमस्ते@xn--c2bd1gb.example'],
  [`${long}x@mail.example`, `${long}x@mail.example`],
])('%j is the address %j', (text, address) => {
  expect(canonicalAddress(text)).toBe(address)
  expect(canonicalAddress(address)).toBe(address)
})

test.each([
  '',
  'ada',
  '@mail.example',
  'ada@',
  'a@b@c.example',
  'a..b@example.org',
  '.ada@example.org',
  'ada.@example.org',
  'a@-example.org',
  'a@example-.org',
  'a@example..org',
  'a@example.org.',
  'a@exa_mple.org',
  'a b@example.org',
  ' ada@example.org',
  '"ada"@example.org',
  'ada(comment)@example.org',
  'Ada <ada@example.org>',
  'a,b@example.org',
  'ada@[127.0.0.1]',
  'ada@127.0.0.1',
  'ada@0x7f.1',
  'ada@example.org:25',
  'ada@example.org/path',
  'ada@%65xample.org',
  'ada@example.org\r\nBcc: b@mail.example',
  'a\u{0}@example.org',
  // Symbols, blanks and controls with which an address becomes a sentence.
  'your\u{2800}account\u{2800}is\u{2800}locked@example.org',
  'your\u{3164}account@example.org',
  'a\u{202e}b@example.org',
  'a\u{200d}b@example.org',
  'a\u{a0}b@example.org',
  '😀@example.org',
  'a@exam\u{202e}ple.org',
  'a@xn--a.org',
  'a\u{d800}@example.org',
  `${long}xx@example.org`,
  `${'é'.repeat(33)}@example.org`,
  `a@${long}x.org`,
  `a@${`${long}.`.repeat(4)}org`,
])('%j is no address', (text) => {
  expect(canonicalAddress(text)).toBe(undefined)
})
