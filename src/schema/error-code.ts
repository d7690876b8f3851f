import { errorCodes } from '../errors.ts'
import { builder } from './builder.ts'

builder.enumType('ErrorCode', {
  description: 'The `code` in the `extensions` of an error. No field returns it: it is here for generated clients.',
  values: Object.fromEntries(Object.entries(errorCodes).map(([code, { meaning }]) => [code, { description: meaning }])),
})
