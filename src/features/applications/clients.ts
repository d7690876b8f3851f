import { validate as isUuid } from 'uuid'
import type { Client as Database } from '../../engine/data/client.ts'
import type { Application } from '../../engine/data/generated/prisma/client.ts'
import { newId } from '../../engine/data/new-id.ts'
import { nameBounds } from '../base/bounds.ts'
import { nameError } from '../base/text-rules.ts'
import { websiteError } from './applications.ts'

/** What an application says about itself, in the terms of RFC 7591. */
type ClientMetadata = {
  readonly client_id: string
  readonly client_name?: string | undefined
  readonly client_uri?: string | undefined
  readonly redirect_uris?: readonly string[] | undefined
  readonly grant_types?: readonly string[] | undefined
}

/** The grant type of devices that show a code (RFC 8628, section 3.4). */
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** How an application gets tokens, in the terms of RFC 7591. An application has to ask for the device flow. */
export function grantsOf({ redirectUris, deviceFlow }: Pick<Application, 'redirectUris' | 'deviceFlow'>) {
  const hasCode = redirectUris.length > 0
  const grants = [...(hasCode ? ['authorization_code'] : []), ...(deviceFlow ? [deviceGrant] : [])]
  if (grants.length === 0) return undefined
  return {
    redirect_uris: redirectUris,
    grant_types: [...grants, 'refresh_token'],
    response_types: hasCode ? (['code'] as const) : [],
  }
}

/** The condition on the application with this client id: its own, or for one with an owner its uuid. */
export const whereClient = (clientId: string) => (isUuid(clientId) ? { id: clientId, clientId: null } : { clientId })

/** The client id of an application. */
export const clientIdOf = ({ id, clientId }: Pick<Application, 'id' | 'clientId'>): string => clientId ?? id

/** The application with this client id; null if there is none. */
export async function findClient(database: Database, clientId: string): Promise<Application | null> {
  return database.application.findFirst({ where: whereClient(clientId) })
}

/** The host that vouches for a client id which is the URL of its metadata; undefined for others. */
export function hostOf(clientId: string): string | undefined {
  if (!clientId.startsWith('https://') || !URL.canParse(clientId)) return undefined
  // A name with a final dot is the same one.
  return new URL(clientId).host.replace(/\.(?=:|$)/, '')
}

/** Whether a client is refused, by moderators or because its owner is suspended. */
export async function isRefused(database: Database, clientId: string): Promise<boolean> {
  const known = await findClient(database, clientId)
  const [row] = await database.$queryRaw<{ refused: boolean }[]>`
    select exists (select from refused_applications where id = ${known?.id ?? null}::uuid)
      or exists (select from refused_clients where client = ${hostOf(clientId) ?? null}::text) as refused`
  return row?.refused ?? false
}

/** The name of a client for people: its own, if it can be shown, or else its host. */
export function nameOfClient({ client_id, client_name }: ClientMetadata): string {
  const name = client_name?.trim()
  if (name && !nameError('name', name)) return name
  return [...(hostOf(client_id) ?? 'Unnamed application')].slice(0, nameBounds.max).join('')
}

/** The website of a client, if it can be shown. */
function websiteOf({ client_uri }: ClientMetadata): string | null {
  return client_uri !== undefined && !websiteError(client_uri) ? client_uri : null
}

/**
 * The application of a client that somebody allows: it is stored the first time, and later brought up to date. Those with an owner are as their owner
 * says.
 */
export async function storeClient(database: Database, metadata: ClientMetadata): Promise<string> {
  const { client_id: clientId, redirect_uris: redirectUris = [], grant_types: grants = [] } = metadata
  const known = await findClient(database, clientId)
  if (known?.ownerId) return known.id
  const data = {
    name: nameOfClient(metadata),
    website: websiteOf(metadata),
    host: hostOf(clientId) ?? null,
    redirectUris: [...redirectUris],
    allowedAt: new Date(),
    deviceFlow: grants.includes(deviceGrant),
  }
  const { id } = await database.application.upsert({
    where: { clientId },
    create: { id: newId(), clientId, ...data },
    update: data,
    select: { id: true },
  })
  return id
}
