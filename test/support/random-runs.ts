/** The time limit of a test with many random inputs, in milliseconds. A slow machine takes minutes. */
export const randomTest = { timeout: 600_000 } as const

/** Ends the runs of such a test before that limit, with the seed and the number of runs in the error. */
export const timelyRuns = { interruptAfterTimeLimit: 540_000, markInterruptAsFailure: true } as const
