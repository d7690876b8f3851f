import { v7 as newId } from 'uuid'
import type { Database } from '../../../src/engine/data/database.ts'
import { issueTokenTo } from '../../../src/features/accounts/administration.ts'
import { commonScopes } from '../../../src/features/base/scopes.ts'
import type { CommandDatabase } from '../processes/command-database.ts'
import type { Subject } from '../rest/repeatable-writes.ts'

/** Creates an account with a token, and this many subjects of its writes, which are posts of another account. */
export async function addWriter(
  database: CommandDatabase,
  count: number,
): Promise<{ token: string; subjects: Subject[] }> {
  const subjects: Subject[] = []
  let token = ''
  await database.use(async (opened) => {
    const [userId, authorId] = [await addUser(opened, 'ada'), await addUser(opened, 'bob')]
    ;({ token } = await issueTokenTo(opened, { userId, name: 'Writer', scopes: commonScopes, expiresAt: null }))
    for (let nth = 0; nth < count; nth += 1) {
      const post = newId()
      await opened.write.prisma.publication.create({ data: { id: post, authorId, content: 'Hello' } })
      subjects.push({ post, content: newId(), uuid: newId() })
    }
  })
  return { token, subjects }
}

async function addUser({ write: { prisma } }: Database, username: string): Promise<string> {
  const data = { id: newId(), username, displayName: username, email: `${username}@example.org` }
  return (await prisma.user.create({ data })).id
}
