import { defineConfig } from 'prisma/config'

// `prisma generate` needs no engine, yet downloads one unless it is told of any executable.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath

export default defineConfig({ schema: 'schema.prisma' })
