import { isPromise } from '@whatwg-node/promise-helpers'

/** Uses a value at once if it is known, so that most hooks need no promise, and then calls `done`, with the error if there is one. */
export function whenKnown<T>(value: T | Promise<T>, use: (value: T) => unknown, done: (error?: Error) => void): void {
  // Not what `use` returns, because a reply of Fastify can be awaited too.
  if (isPromise(value)) value.then((known) => void use(known)).then(() => done(), done)
  else {
    use(value)
    done()
  }
}
