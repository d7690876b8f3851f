import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, addresses, graphql, type Strike, Tally, type Target } from '../attack.ts'
import { connectFrom, flood, send } from '../flood.ts'

const guessers = 20

const signIn = (username: string, password: string) =>
  graphql('mutation ($input: SignInInput!) { signIn(input: $input) { viewer { uuid } } }', undefined, {
    variables: { input: { username, password } },
  })

/** Somebody who knows the password signs in twice a second from another address, while others attack. */
function besideHonestSignIns(target: Target, attack: Strike): Strike {
  return async (until, tally) => {
    const pool = connectFrom(addresses.honest, target, 1)
    const { username, password } = target.honest
    const honest = new Tally()
    const taken: number[] = []
    const signInAgainAndAgain = async () => {
      while (performance.now() < until) {
        const sent = performance.now()
        await send(pool, signIn(username, password), honest)
        taken.push(performance.now() - sent)
        await sleep(500)
      }
    }
    await Promise.all([attack(until, tally), signInAgainAndAgain()])
    await pool.destroy()
    return `${honest.answered} of ${honest.requests} honest sign-ins, at most ${Math.round(Math.max(...taken))} ms`
  }
}

/** Guesses on many connections, with what a sign-in takes when nobody guesses. */
function guessing(usernameOf: (target: Target, nth: number) => string): Attack['prepare'] {
  return async (target) => {
    const pool = connectFrom(addresses.honest, target, 1)
    const began = performance.now()
    await send(pool, signIn(target.bystander, target.honest.password), new Tally())
    const taken = Math.round(performance.now() - began)
    await pool.destroy()
    const strike = flood(target, guessers, (nth) => signIn(usernameOf(target, nth), `guess ${nth}`))
    return { strike: besideHonestSignIns(target, strike), note: `a sign-in alone ${taken} ms` }
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
