import { type Config, readConfig } from '../config.ts'

/** Reads the configuration from the environment; LOG_LEVEL can have another default. Throws a `ConfigError`. */
export function settings(logLevel?: string): Config {
  return readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || logLevel })
}

/** The names of all variables in the environment. */
export function environmentNames(): string[] {
  return Object.keys(process.env)
}

/** Tells libraries that this is no development. GraphQL.js otherwise makes additional checks of itself, which slow down validation. */
export function assumeProduction(): void {
  process.env.NODE_ENV ??= 'production'
}
