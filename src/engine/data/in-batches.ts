/** The most rows that one statement or transaction of a clean-up changes. */
const batchSize = 1_000

/** Calls a function, which changes at most so many rows and returns how many it found, until it finds fewer. */
export async function inBatches(change: (size: number) => Promise<number>): Promise<void> {
  while ((await change(batchSize)) === batchSize);
}
