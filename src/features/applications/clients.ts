import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import type { Application } from '../../engine/data/generated/prisma/client.ts'
import { newId } from '../../engine/data/ids.ts'
import { type ListPart, type ListRequest, partOf } from '../../engine/data/list-part.ts'
import { isUuid } from '../../engine/text/uuids.ts'
import { nameBounds } from '../base/bounds.ts'
import { textError } from '../base/input-rules.ts'
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
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

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
export async function findClient(database: Client, clientId: string): Promise<Application | null> {
  return database.application.findFirst({ where: whereClient(clientId) })
}

/** The host that vouches for a client id which is the URL of its metadata; undefined for others. */
export function hostOf(clientId: string): string | undefined {
  if (!clientId.startsWith('https://') || !URL.canParse(clientId)) return undefined
  // A name with a final dot is the same one.
  return new URL(clientId).host.replace(/\.(?=:|$)/, '')
}

type ApplicationRow = Pick<Application, 'id' | 'name' | 'host' | 'createdAt'> & {
  readonly clientId: string
  /** The username of its owner. */
  readonly owner: string | null
  /** When one of its tokens was last used. */
  readonly lastUsedAt: Date | null
  readonly refused: boolean
}

/** Lists all applications that are stored: those with an owner, and those that somebody has allowed. */
export async function listApplications(
  { write: { prisma } }: Access,
  request: ListRequest,
): Promise<ListPart<ApplicationRow>> {
  const { limit, after = null } = request
  const rows = await prisma.$queryRaw<ApplicationRow[]>`
    select a.id::text, a.name, coalesce(a.client_id, a.id::text) as "clientId", o.username as owner, a.host, a.created_at as "createdAt",
      greatest((select max(last_used_at) from oauth_grants where application_id = a.id),
        (select max(last_used_at) from access_tokens where application_id = a.id)) as "lastUsedAt",
      exists (select from refused_applications r where r.id = a.id) as refused
    from applications a left join users o on o.id = a.owner_id
    where ${after}::uuid is null or a.id < ${after}::uuid order by a.id desc limit ${limit + 1}::int`
  return partOf(rows, request)
}

/** Whether a client is refused, by moderators or because its owner is suspended. */
export async function isRefused(database: Client, clientId: string): Promise<boolean> {
  const known = await findClient(database, clientId)
  const [row] = await database.$queryRaw<{ refused: boolean }[]>`
    select exists (select from refused_applications where id = ${known?.id ?? null}::uuid)
      or exists (select from refused_clients where client = ${hostOf(clientId) ?? null}::text) as refused`
  return row?.refused ?? false
}

/** The name of a client for people: its own, if it can be shown, or else its host. */
export function nameOfClient({ client_id, client_name }: ClientMetadata): string {
  const name = client_name?.trim()
  if (name && !textError('name', name, nameBounds)) return name
  return [...(hostOf(client_id) ?? 'Unnamed application')].slice(0, nameBounds.max).join('')
}

/** The website of a client, if it can be shown. */
function websiteOf({ client_uri }: ClientMetadata): string | null {
  return client_uri !== undefined && !websiteError(client_uri) ? client_uri : null
}

/**
 * The application of a client that somebody allows: it is stored the first time, and later brought up to date. Those with an owner
 * are as their owner says.
 */
export async function storeClient(database: Client, metadata: ClientMetadata): Promise<string> {
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
