import { v7 as newId } from 'uuid'
import type { Client } from '../data/client.ts'
import type { Session } from './sessions.ts'
import { refuseInvalid, textError } from './text.ts'

const nameBounds = { min: 1, max: 50 } as const

/** Registers an application of the viewer's and answers its id. Throws `VALIDATION_FAILED`. */
export async function createApplication(
  client: Client,
  { viewerId }: Session,
  name: string,
  website: URL | null | undefined,
): Promise<string> {
  const isWeb = website == null || website.protocol === 'https:' || website.protocol === 'http:'
  refuseInvalid(
    textError('name', name, nameBounds),
    isWeb ? undefined : { field: 'website', message: 'must be an http or https address' },
    website && website.href.length > 2000
      ? { field: 'website', message: 'must have at most 2000 characters' }
      : undefined,
  )
  const data = { id: newId(), ownerId: viewerId, name, website: website?.href ?? null }
  const { id } = await client.application.create({ data, select: { id: true } })
  return id
}
