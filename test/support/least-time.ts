/** How long something takes at least, in milliseconds: once it is compiled, and nothing else runs. */
export function leastTime(run: () => unknown): number {
  const times = Array.from({ length: 20 }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return Math.min(...times)
}
