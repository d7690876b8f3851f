import type { Attack } from '../attack.ts'
import { cacheAttacks } from './caches.ts'
import { connectionAttacks } from './connections.ts'
import { costlyAttacks } from './costly.ts'
import { errorAttacks } from './errors.ts'
import { introspectionAttacks } from './introspection.ts'
import { largeAnswerAttacks } from './large-answers.ts'
import { planningAttacks } from './planning.ts'
import { signInAttacks } from './sign-in.ts'
import { socketAttacks } from './sockets.ts'
import { statementAttacks } from './statements.ts'

/** All attacks, in the order of their rows. */
export const attacks: readonly Attack[] = [
  ...cacheAttacks,
  ...planningAttacks,
  ...statementAttacks,
  ...costlyAttacks,
  ...socketAttacks,
  ...introspectionAttacks,
  ...errorAttacks,
  ...largeAnswerAttacks,
  ...signInAttacks,
  ...connectionAttacks,
].toSorted((one, other) => (Number(one.row) || 99) - (Number(other.row) || 99))
