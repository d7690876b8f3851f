/** The topics that people write about, each with a phrase for biographies and the tags of its posts. */
const topicTexts = {
  birds: { biography: 'Birds and beans', tags: ['#birds', '#garden', '#nature'] },
  running: { biography: 'Early runs', tags: ['#running', '#slowrunning'] },
  weather: { biography: 'Clouds', tags: ['#weather', '#sky'] },
  astronomy: { biography: 'Night skies', tags: ['#astronomy', '#nightsky'] },
  bread: { biography: 'Good bread', tags: ['#baking', '#bread'] },
  tea: { biography: 'Too much tea', tags: ['#tea', '#teatime'] },
  music: { biography: 'Loud music and quiet music', tags: ['#music', '#livemusic'] },
  books: { biography: 'Library cards', tags: ['#books', '#amreading'] },
  trains: { biography: 'Slow trains', tags: ['#trains', '#slowtravel'] },
  'self-hosting': { biography: 'Small servers', tags: ['#selfhosting', '#homelab'] },
  databases: { biography: 'Tidy tables', tags: ['#databases', '#sql'] },
  typescript: { biography: 'Types', tags: ['#typescript', '#programming'] },
} as const

/** A topic that people write about. */
export type Topic = keyof typeof topicTexts

/** The texts of each topic. */
export const textsOf: Readonly<Record<Topic, { readonly biography: string; readonly tags: readonly string[] }>> =
  topicTexts

const isTopic = (name: string): name is Topic => name in topicTexts

/** All topics. What a seed draws depends on their order. */
export const topics: readonly Topic[] = Object.keys(topicTexts).filter(isTopic)
