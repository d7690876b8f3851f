import type { Answer, Person, TestApp } from '../app.ts'

/** The mutations whose input has the type of another one. */
const sameInput: Readonly<Record<string, string>> = {
  deleteReply: 'deletePost',
  updateReply: 'updatePost',
  toggleReplyLike: 'toggleLike',
}

/** Runs one mutation of a person, or without a token, and selects these fields of its payload. */
export function mutate(
  app: Pick<TestApp, 'graphql'>,
  { token }: Partial<Pick<Person, 'token'>>,
  mutation: string,
  input: object,
  fields: string,
): Promise<Answer> {
  const owner = sameInput[mutation] ?? mutation
  const type = `${owner.charAt(0).toUpperCase()}${owner.slice(1)}Input`
  return app.graphql(token, `mutation ($input: ${type}!) { ${mutation}(input: $input) { ${fields} } }`, { input })
}
