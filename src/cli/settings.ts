import { type Config, readConfig } from '../config.ts'

/** Reads the configuration from the environment. Throws a `ConfigError`. */
export function settings(): Config {
  return readConfig(process.env)
}

/** The names of all variables in the environment. */
export function environmentNames(): string[] {
  return Object.keys(process.env)
}

/** Reads the configuration for a command other than `serve`, which logs at `warn` unless LOG_LEVEL is set. */
export function commandSettings(): Config {
  return readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || 'warn' })
}

/** Tells libraries that this is no development. GraphQL.js otherwise makes additional checks of itself, which slow down validation. */
export function assumeProduction(): void {
  process.env.NODE_ENV ??= 'production'
}
