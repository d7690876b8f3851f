import { execSync } from 'node:child_process'

// These print several lines even when they succeed, which would distract from the banner of `npm start`.
try {
  execSync('prisma generate --config prisma/prisma.config.ts && gql.tada generate-output', { stdio: 'pipe' })
} catch (error) {
  process.stderr.write(`${error.stdout}${error.stderr}`)
  process.exitCode = error.status || 1
}
