import { prices } from '../../engine/compiler/cost.ts'
import {
  type ErrorCode,
  errorCodes,
  type ForbiddenReason,
  forbiddenReasons,
  isErrorCode,
  isForbiddenReason,
} from '../../engine/errors.ts'
import { builder } from './builder.ts'

const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description: 'The `code` in the `extensions` of an error.',
  values: Object.fromEntries(Object.entries(errorCodes).map(([code, { meaning }]) => [code, { description: meaning }])),
})

const ForbiddenReasonEnum = builder.enumType('ForbiddenReason', {
  description: 'The `reason` in the `extensions` of an error with the code `FORBIDDEN`.',
  values: Object.fromEntries(
    Object.entries(forbiddenReasons).map(([reason, description]) => [reason, { description }]),
  ),
})

type ErrorKind = { readonly code: ErrorCode; readonly reason?: ForbiddenReason; readonly meaning: string }

const errorKinds: readonly ErrorKind[] = Object.keys(errorCodes)
  .filter(isErrorCode)
  .flatMap((code): ErrorKind[] =>
    code === 'FORBIDDEN'
      ? Object.keys(forbiddenReasons)
          .filter(isForbiddenReason)
          .map((reason) => ({ code, reason, meaning: forbiddenReasons[reason] }))
      : [{ code, meaning: errorCodes[code].meaning }],
  )

const ErrorKindObject = builder.objectRef<ErrorKind>('ErrorKind').implement({
  description: 'A kind of errors: a code, or a reason of `FORBIDDEN`.',
  fields: (t) => ({
    code: t.field({
      type: ErrorCodeEnum,
      description: 'The `code` in `extensions`.',
      resolve: ({ code }) => code,
    }),
    reason: t.field({
      type: ForbiddenReasonEnum,
      nullable: true,
      description: 'The `reason` in `extensions`; null for codes other than `FORBIDDEN`.',
      resolve: ({ reason }) => reason,
    }),
    meaning: t.exposeString('meaning', { description: 'What it means, in English.' }),
  }),
})

builder.queryField('errorKinds', (t) =>
  t.field({
    type: [ErrorKindObject],
    needsToken: false,
    description:
      'All kinds of errors. Select `code` and `reason` in a document of your client, and its generated ' +
      'code has both enums. Requires no token.',
    cost: { perRow: prices.object, requested: () => ({ rows: errorKinds.length }) },
    resolve: () => errorKinds,
  }),
)
