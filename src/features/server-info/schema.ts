import { longText } from '../../engine/compiler/cost.ts'
import { pageSize } from '../../engine/compiler/limits.ts'
import { maxBody } from '../../engine/http/json-body.ts'
import { version } from '../../engine/package.ts'
import { type Admission, signUpModes } from '../accounts/admission.ts'
import {
  bioBounds,
  commentBounds,
  contentBounds,
  nameBounds,
  passwordBounds,
  searchBounds,
  versionForm,
  warningBounds,
} from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, stored, withForm } from '../base/input-rules.ts'
import { maxLookups } from '../base/lookup-list.ts'
import { usernameBounds } from '../base/username.ts'
import { ServerAccountLimit } from '../limits/schema.ts'
import { featuresOf, longestContact, longestDescription, longestRules, serverFeatures } from './settings.ts'

const meanings: Readonly<Record<Admission['signUp'], string>> = {
  open: 'Everybody.',
  approval: 'Whoever a moderator approves, or has an invitation.',
  invitation: 'Whoever has an invitation.',
  closed: 'Only the operator.',
}

const SignUpMode = builder.enumType('SignUpMode', {
  description: 'Who can create an account.',
  values: Object.fromEntries(signUpModes.map((mode) => [mode.toUpperCase(), { description: meanings[mode] }])),
})

const ServerFeature = builder.enumType('ServerFeature', {
  description: 'What servers have or lack by their settings.',
  values: Object.fromEntries(
    Object.entries(serverFeatures).map(([name, { meaning }]) => [name, { description: meaning }]),
  ),
})

const most = (what: string, { max }: { readonly max: number }) =>
  [`The maximum length of ${what}, in characters (Unicode code points).`, max] as const

/** The limits that are the same for all servers of this version, by their fields. */
const limits = {
  contentLength: most('the text of a post or reply', contentBounds),
  warningLength: most('a warning before a text', warningBounds),
  displayNameLength: most('a display name', nameBounds),
  bioLength: most('a biography', bioBounds),
  usernameLength: most('a username', usernameBounds),
  passwordLength: most('a password', passwordBounds),
  minPasswordLength: ['The minimum length of a password, in characters (Unicode code points).', passwordBounds.min],
  commentLength: most('the comment of a report', commentBounds),
  searchLength: most('what somebody searches for', searchBounds),
  pageSize: ['The number of nodes of a page, if a request does not say another.', pageSize.default],
  maxPageSize: ['The maximum number of nodes of a page.', pageSize.max],
  maxLookups: ['The maximum number of objects that one field looks up by their ids.', maxLookups],
  maxBodySize: ['The maximum size of the body of a request, in bytes.', maxBody],
} as const

const ServerLimits = builder.objectRef<typeof limits>('ServerLimits').implement({
  description: 'Limits of a server, for clients that check input before they send it.',
  fields: (t) =>
    Object.fromEntries(
      Object.entries(limits).map(([name, [description, limit]]) => [
        name,
        t.int({ description, resolve: () => limit }),
      ]),
    ),
})

const about = 'An estimate from a part of the rows, at most a minute old.'

const Server = builder.objectRef<object>('Server').implement({
  description: 'What a server says of itself.',
  fields: (t) => ({
    name: t.string({
      ...formed('The name of the server', stored(nameBounds)),
      resolve: (_server, _args, { services }) => services.siteName,
    }),
    description: t.string({
      nullable: true,
      ...formed(
        'What the server is for, in plain text',
        stored({ min: 1, max: longestDescription }),
        'Null if it does not say.',
      ),
      cost: longText,
      resolve: (_server, _args, { services }) => services.siteDescription,
    }),
    rules: t.string({
      nullable: true,
      ...formed(
        'The rules of the server, in Markdown (CommonMark)',
        stored({ min: 1, max: longestRules }),
        'Null if it has none.',
      ),
      cost: { perRead: 30 },
      resolve: (_server, _args, { services }) => services.rules,
    }),
    contact: t.string({
      nullable: true,
      ...formed(
        'How to reach the operator, an e-mail address or an `https` URL',
        stored({ min: 1, max: longestContact }),
        'Null if the server does not say.',
      ),
      resolve: (_server, _args, { services }) => services.contact,
    }),
    version: t.string({
      description: 'The version of Rookery.',
      ...withForm(versionForm),
      resolve: () => version,
    }),
    signUp: t.field({
      type: SignUpMode,
      description: 'Who can create an account.',
      resolve: (_server, _args, { services }) => services.admission.signUp.toUpperCase(),
    }),
    languages: t.field({
      type: ['LanguageTag'],
      description: 'The languages of the server, the most important one first. Empty if it does not say.',
      resolve: (_server, _args, { services }) => services.siteLanguages,
    }),
    features: t.field({
      type: [ServerFeature],
      description: 'What is switched on, in the order of the enum.',
      resolve: (_server, _args, { services }) => featuresOf(services),
    }),
  }),
})

builder.objectFields(Server, (t) => ({
  limits: t.field({
    type: ServerLimits,
    description: 'The limits of the server.',
    resolve: () => limits,
  }),
  accountLimits: t.field({
    type: [ServerAccountLimit],
    description: 'How much each account may do. Limits that the operator has switched off are left out.',
    resolve: (_server, _args, { services }) => services.accountLimits?.list() ?? [],
  }),
  accountEstimate: t.int({
    description: `About how many accounts the server has. ${about}`,
    resolve: async (_server, _args, { services }) => (await services.estimates.read()).accounts,
  }),
  publicationEstimate: t.int({
    description: `About how many posts and replies the server has. ${about}`,
    resolve: async (_server, _args, { services }) => (await services.estimates.read()).publications,
  }),
}))

builder.queryField('server', (t) =>
  t.field({
    type: Server,
    needsToken: false,
    description: 'What the server says of itself. Requires no token.',
    resolve: () => ({}),
  }),
)
