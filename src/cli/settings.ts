import { type Config, readConfig } from '../server/config.ts'
import { originOf } from '../server/listen.ts'

/** Reads the configuration from the environment; LOG_LEVEL can have another default. Throws a `ConfigError`. */
export function settings(logLevel?: string): Config {
  return readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || logLevel })
}

/** What links begin with: PUBLIC_URL, or where this machine reaches the server. */
export function publicUrlOf({ publicUrl, host, port, prefix }: Config): string {
  return publicUrl ?? originOf(host, port) + prefix
}

/** The names of all variables in the environment. */
export function environmentNames(): string[] {
  return Object.keys(process.env)
}

/** Tells libraries that this is no development. GraphQL.js otherwise makes additional checks of itself, which slow down validation. */
export function assumeProduction(): void {
  process.env.NODE_ENV ??= 'production'
}
