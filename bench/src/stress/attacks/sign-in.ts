import { type Attack, addresses, graphql, Tally, type Target } from '../attack.ts'
import { beside, type Honest } from '../beside.ts'
import { connectFrom, flood, send } from '../flood.ts'

const guessers = 20

const signIn = (username: string, password: string) =>
  graphql('mutation ($input: SignInInput!) { signIn(input: $input) { viewer { uuid } } }', undefined, {
    variables: { input: { username, password } },
  })

/** Somebody who knows the password signs in twice a second at most. */
const signsIn = ({ honest: { username, password } }: Target): Honest => ({
  name: 'honest sign-ins',
  request: signIn(username, password),
  pause: 500,
})

/** Guesses on many connections, with what a sign-in takes when nobody guesses. */
function guessing(usernameOf: (target: Target, nth: number) => string): Attack['prepare'] {
  return async (target) => {
    const pool = connectFrom(addresses.honest, target, 1)
    const began = performance.now()
    await send(pool, signIn(target.bystander, target.honest.password), new Tally())
    const taken = Math.round(performance.now() - began)
    await pool.destroy()
    const strike = flood(target, guessers, (nth) => signIn(usernameOf(target, nth), `guess ${nth}`))
    return { strike: beside(target, signsIn(target), strike), note: `a sign-in alone ${taken} ms` }
  }
}

/** Attacks on sign-in, without a token. Each guess counts as refused. */
export const signInAttacks: readonly Attack[] = [
  {
    row: '10',
    name: 'guess-names',
    about: '20 connections guess the passwords of many accounts',
    prepare: guessing((_target, nth) => `crowd_${nth % 10_000}`),
  },
  {
    row: '10',
    name: 'guess-one',
    about: '20 connections guess the password of the account that signs in honestly',
    prepare: guessing(({ honest }) => honest.username),
  },
]
