import { bookmarks } from '../domain/edges.ts'
import { bookmarkPublication } from '../domain/permissions.ts'
import { edgeMutations } from './edge-mutations.ts'
import { Publication } from './publication.ts'

edgeMutations(bookmarks, { type: Publication, permission: bookmarkPublication })
