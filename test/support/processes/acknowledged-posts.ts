import { z } from 'zod'
import { callRest } from '../rest/call.ts'

const created = z.object({ uuid: z.uuid() })

/** Sends posts one after another until the server is gone. Returns the ids of the acknowledged ones. */
export async function sendPosts(origin: string, token: string, acknowledged: string[]): Promise<void> {
  for (;;) {
    try {
      const content = `Post ${acknowledged.length}`
      const response = await callRest(origin, token, 'POST', '/post', { content })
      acknowledged.push(created.parse(await response.json()).uuid)
    } catch {
      return
    }
  }
}
