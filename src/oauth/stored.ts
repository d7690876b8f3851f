import type { Adapter, AdapterPayload } from 'oidc-provider'

/** A time as the protocol has it, in seconds (RFC 7519, section 2). */
export const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1_000)

/** What the authorization server stores of one kind that is only found by its id, and never used up. */
export abstract class Stored implements Adapter {
  abstract upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void>
  abstract find(id: string): Promise<AdapterPayload | undefined>
  abstract destroy(id: string): Promise<void>

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}

  async consume(): Promise<void> {}

  /** Nothing is left to do: what belongs to a grant is deleted with it. */
  async revokeByGrantId(): Promise<void> {}
}
