/** A number of things in words: `1 account`, or `2 accounts`. */
export const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`
