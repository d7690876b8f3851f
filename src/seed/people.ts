import { Random } from './random.ts'
import { type Person, people, phrases, topics } from './texts.ts'

const handle = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll('ı', 'i')
    .replace(/[^a-z]/g, '')

/** The person with an index: the first ones are written by hand, the others generated. Usernames never repeat. */
export function personAt(index: number, seed: number): Person {
  const { first: written, givenNames, familyNames } = people
  const person = written[index]
  if (person !== undefined) return person
  const names = givenNames.length * familyNames.length
  const made = index - written.length
  // A step that is coprime to the number of names visits each name once before any repeats.
  const place = (made * 5003) % names
  const given = givenNames[place % givenNames.length] ?? ''
  const family = familyNames[Math.floor(place / givenNames.length)] ?? ''
  const round = Math.floor(made / names)
  const random = new Random(seed, 'person', index)
  const [first, second, third] = [random.pick(topics), random.pick(topics), random.pick(topics)]
  const { city, day } = phrases.everyday
  const bios = [
    `${first.biography}. ${random.pick(city)}.`,
    `${first.biography}, mostly.`,
    `${second.biography} on weekdays, ${first.biography.toLowerCase()} on ${random.pick(day)}s.`,
    `Lives in ${random.pick(city)}. ${second.biography}.`,
    '',
  ]
  return {
    username: `${handle(given)}_${handle(family)}${round === 0 ? '' : round + 1}`,
    displayName: `${given} ${family}`,
    bio: random.pick(bios),
    interests: [first, second, third],
  }
}
