// `rookery serve` with one difference: cheap statements do not run in batches. It runs the built modules, as the command does.
const built = (path: string) => new URL(`../../../dist/${path}`, import.meta.url).href

const { readConfig }: typeof import('../../../src/config.ts') = await import(built('config.js'))
const { createLog }: typeof import('../../../src/log.ts') = await import(built('log.js'))
const { databaseOptions, openDatabase }: typeof import('../../../src/data/database.ts') = await import(
  built('data/database.js')
)
const { serve }: typeof import('../../../src/server/serve.ts') = await import(built('server/serve.js'))

const config = readConfig(process.env)
const log = createLog(config.logLevel)
const database = await openDatabase({ ...databaseOptions(config, 'server'), isBatching: false }, log)
const running = await serve(database, config, log)
process.once('SIGTERM', () => void running.stop())
process.stdout.write(`${running.origin}\n`)
