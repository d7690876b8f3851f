import type { Documented } from '../../engine/rest/operation.ts'
import { components } from '../../engine/rest/types.ts'
import type { ScopeSets } from '../../engine/scopes.ts'
import { capitalized } from '../base/relations.ts'
import { groups } from '../base/rest-groups.ts'
import { exportLine, exportLines } from './lines.ts'

/** The type of JSON Lines, as OpenAPI 3.2 names it. None is registered. */
const jsonLines = 'application/jsonl'

const sampleCursor = 'AAAAAQABmrLEAABwAIAAAAAAAACh-xQ3vRka'

const sampleLine = { type: 'end', cursor: 'AAAAAwsAAAAAAAAAAAAAAAAAAAAAk9dW_0Tz', lines: 3 } as const

const nameOf = (type: string) => `Export${capitalized(type)}`
const mapping = Object.keys(exportLines).map((type) => [type, `#/components/schemas/${nameOf(type)}`])
for (const [type, line] of Object.entries(exportLines)) components.add(line, { id: nameOf(type) })

const anyLine = exportLine
  .meta({ discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) } })
  .register(components, { id: 'ExportLine', example: sampleLine })

/** Get export, which the interface does not have. It runs no GraphQL document: it streams what belongs to the account, not what the viewer sees. */
export const getExport = {
  id: 'getExport',
  method: 'GET',
  path: '/export',
  group: groups.users,
  scopes: [['account.export']] satisfies ScopeSets,
  summary: 'Export the account',
  description:
    'Everything that belongs to the viewer, as JSON Lines: each line is an object with a `type`. Only a complete export ends with a line of the type `end`; a failure closes the connection before it. Times are in RFC 3339. `rookery user import` imports it.',
  query: {
    after: {
      description:
        'The `cursor` of a line of an earlier export of the account, after which this one resumes. Anything else gets 422, also the cursor of another account, or of a version with other types of lines: start again then.',
      required: false,
      schema: exportLines.header.shape.cursor,
      example: sampleCursor,
    },
  },
  response: {
    description: 'The lines of the export.',
    type: jsonLines,
    schema: anyLine,
  },
} as const satisfies Documented
