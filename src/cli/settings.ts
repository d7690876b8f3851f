import { type Config, readConfig } from '../config.ts'

/** The settings in the environment. Throws a `ConfigError`. */
export function settings(): Config {
  return readConfig(process.env)
}

/** The same for a command that does its work and ends: unless it is told otherwise, it logs warnings only. */
export function commandSettings(): Config {
  return readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || 'warn' })
}
