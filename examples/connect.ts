/*
 * How a program connects to the account of the person who runs it, as sign-in.ts does, and refreshes its tokens.
 *
 * Register the program once, with any token that has the scope account.manage:
 *
 *   mutation { createApplication(input: { name: "Connect", deviceFlow: true }) { application { uuid } } }
 *
 * Then, with this uuid:
 *
 *   ROOKERY_CLIENT_ID=… npm run example -- connect
 *
 * It prints a token. The other examples sign in in the same way if ROOKERY_TOKEN is not set. For a server at another address than
 * http://127.0.0.1:4000, set ROOKERY_URL.
 */
import { refreshTokenGrant } from 'openid-client'
import { signIn } from './sign-in.ts'

const { ROOKERY_URL: url = 'http://127.0.0.1:4000', ROOKERY_CLIENT_ID: clientId } = process.env

async function connect(id: string): Promise<void> {
  const { config, tokens } = await signIn(url, id, { scope: 'post.get reply.get user.get' })
  // Access tokens expire after an hour. Each refresh returns a new refresh token, which replaces the old one.
  const { access_token } = await refreshTokenGrant(config, tokens.refresh_token ?? '')
  process.stdout.write(`${access_token}\n`)
}

if (clientId) await connect(clientId)
else {
  process.stderr.write('Set ROOKERY_CLIENT_ID to the uuid of an application with the device flow.\n')
  process.exitCode = 1
}
