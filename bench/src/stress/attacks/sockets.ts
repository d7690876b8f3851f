import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from '../../works/speaker.ts'
import { type Attack, graphql, type Target } from '../attack.ts'
import { mostRequests } from '../flood.ts'
import { readAnswers, sockets, textOf, write } from '../sockets.ts'

/** How many requests are written at a time. */
const block = 1_000

/** One socket that sends requests without waiting for answers, which it reads as they come. */
function pipeline(request: (target: Target) => Request, connections = 1): Attack['prepare'] {
  return (target) => ({
    strike: sockets(target, connections, async (socket, until, tally) => {
      const text = textOf(request(target)).repeat(block)
      readAnswers(socket, tally)
      for (let sent = 0; sent < mostRequests && performance.now() < until; sent += block) await write(socket, text)
      while (performance.now() < until && !socket.destroyed) await sleep(50)
    }),
  })
}

const page: Request = { method: 'GET', path: '/', headers: {}, body: null }

/** As many headers as a request may have, with those that are always sent. */
const headers = Object.fromEntries(Array.from({ length: 95 }, (_, index) => [`x-${index}`, 'y']))

const heavy = '{ homeTimeline(first: 100) { nodes { uuid author { posts(first: 10) { nodes { uuid } } } } } }'

/** Attacks that misuse a socket. */
export const socketAttacks: readonly Attack[] = [
  {
    row: '5',
    name: 'pipeline',
    about: 'one socket pipelines thousands of light queries',
    prepare: pipeline(({ token }) => graphql('{ viewer { uuid } }', token)),
  },
  {
    row: '5',
    name: 'pipeline-home',
    about: 'one socket pipelines thousands of home timelines',
    prepare: pipeline(({ token }) => graphql('{ homeTimeline { nodes { uuid } } }', token)),
  },
  {
    row: '5',
    name: 'pipeline-anyone',
    about: 'ten sockets pipeline thousands of pages, without a token',
    prepare: pipeline(() => page, 10),
  },
  {
    row: '5',
    name: 'pipeline-behind',
    about:
      '400 sockets pipeline 14 pages with 95 headers behind a home timeline with posts of its authors, each second',
    prepare: (target) => ({
      strike: sockets(target, 400, async (socket, until, tally) => {
        const text = textOf(graphql(heavy, target.token)) + textOf({ ...page, headers }).repeat(14)
        readAnswers(socket, tally)
        while (performance.now() < until && !socket.destroyed) {
          await write(socket, text)
          await sleep(1_000)
        }
      }),
    }),
  },
  {
    row: '5',
    name: 'disconnect',
    about: '12 clients disconnect 20 ms after sending a home timeline with posts of its authors',
    prepare: (target) => ({
      strike: sockets(target, 12, async (socket, _until, tally) => {
        await write(socket, textOf(graphql(heavy, target.token)))
        await sleep(20)
        tally.answered += 1
      }),
    }),
  },
]
