import { familyNames, firstPeople, givenNames, type Person } from './people-list.ts'
import { everyday } from './phrases.ts'
import { Random, streamOf } from './random.ts'
import { textsOf, topics } from './topics.ts'

const plainLetters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', ß: 'ss', ı: 'i', đ: 'd', æ: 'ae' }

function handle(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[øłßıđæ]/g, (letter) => plainLetters[letter] ?? '')
    .replace(/[^a-z]/g, '')
}

/** The person with an index: the first ones are written by hand, the others generated. Usernames never repeat. */
export function personAt(index: number, seed: number): Person {
  const written = firstPeople[index]
  if (written !== undefined) return written
  const made = index - firstPeople.length
  const names = givenNames.length * familyNames.length
  // A step that is coprime to the number of names visits each name once before any repeats.
  const place = (made * 5003) % names
  const given = givenNames[place % givenNames.length] ?? ''
  const family = familyNames[Math.floor(place / givenNames.length)] ?? ''
  const round = Math.floor(made / names)
  const random = new Random(seed, streamOf('person'), index)
  const interests = [random.pick(topics), random.pick(topics), random.pick(topics)]
  const [first, second] = interests.map((topic) => textsOf[topic].biography)
  const bios = [
    `${first}. ${random.pick(everyday.city ?? [])}.`,
    `${first}, mostly.`,
    `${second} on weekdays, ${first?.toLowerCase()} on ${random.pick(everyday.day ?? [])}s.`,
    `Lives in ${random.pick(everyday.city ?? [])}. ${second}.`,
    '',
  ]
  return {
    username: `${handle(given)}_${handle(family)}${round === 0 ? '' : round + 1}`,
    displayName: `${given} ${family}`,
    bio: random.pick(bios),
    interests,
  }
}
