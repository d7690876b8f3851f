import type { Services } from '../../engine/execution/request-context.ts'
import { version } from '../../engine/package.ts'
import { featuresOf } from './settings.ts'

/** The schema of what crawlers read. */
export const nodeInfoSchema = 'http://nodeinfo.diaspora.software/ns/schema/2.1'

/** Where crawlers find the address of NodeInfo, and NodeInfo itself. */
export const nodeInfoPaths = { discovery: '/.well-known/nodeinfo', document: '/nodeinfo/2.1' } as const

/** The links by which crawlers find NodeInfo on a server whose URLs begin with `base`. */
export const nodeInfoLinks = (base: string) => ({
  links: [{ rel: nodeInfoSchema, href: base + nodeInfoPaths.document }],
})

/** What the server says of itself to crawlers. It supports none of the protocols that the schema knows, so it lists none. */
export async function nodeInfo(services: Services) {
  const { admission, siteName, siteDescription, siteLanguages, contact, estimates } = services
  const { accounts, publications } = await estimates.read()
  return {
    version: '2.1',
    software: { name: 'rookery', version },
    protocols: [],
    services: { inbound: [], outbound: [] },
    openRegistrations: admission.signUp === 'open',
    usage: { users: { total: accounts }, localPosts: publications },
    metadata: {
      nodeName: siteName,
      ...(siteDescription !== undefined && { nodeDescription: siteDescription }),
      ...(contact !== undefined && { contact }),
      signUp: admission.signUp,
      languages: siteLanguages,
      features: featuresOf(services).map((name) => name.toLowerCase()),
    },
  }
}
