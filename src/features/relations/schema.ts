import type { JoinTable, PageRead, ValueRead } from '../../engine/compiler/field-reads.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import { User, UserConnection } from '../accounts/schema.ts'
import { builder } from '../base/builder.ts'
import { numberedPageArgs } from '../base/pages.ts'
import { likeReply } from '../base/permissions.ts'
import { countersOf, likes, type Relation, relations } from '../base/relations.ts'
import { Publication, PublicationConnection, Reply } from '../posts/schema.ts'
import { isCurrent } from '../visibility/rules.ts'
import { isViewer, viewer } from '../visibility/viewer.ts'
import { relationMutations } from './mutations.ts'

function exists({ table, actorColumn, objectColumn, canExpire }: Relation, actor: Sql, object: Sql): Sql {
  const isPair = sql`r.${sql.identifier(actorColumn)} = ${actor} and r.${sql.identifier(objectColumn)} = ${object}`
  return sql`exists (select from ${sql.identifier(table)} r where ${all(isPair, canExpire && isCurrent(sql`r`))})`
}

const joinBy = ({ table, canExpire }: Relation, from: string, to: string): JoinTable => ({
  table: sql.identifier(table),
  from: sql.identifier(from),
  to: sql.identifier(to),
  ...(canExpire && { where: isCurrent }),
})

/** Whether the viewer has the relation to the row. */
const viewerHas = (relation: Relation): ValueRead => ({
  value: (row) => exists(relation, viewer.id, sql`${row}.id`),
  cost: 0.2,
})

/** Whether the row, an account, has the relation to the viewer. */
const hasViewer = (relation: Relation): ValueRead => ({
  value: (row) => exists(relation, sql`${row}.id`, viewer.id),
  cost: 0.2,
})

const counterIn = (column: string) => (row: Sql) => sql`${row}.${sql.identifier(column)}`

const totalIn = (column: string | undefined) => column && { total: counterIn(column) }

/** The accounts that have the relation to the row, newest first. */
const actorsOf = (relation: Relation): PageRead => ({
  order: 'desc',
  join: { ...joinBy(relation, relation.objectColumn, relation.actorColumn), isWhole: true },
  ...totalIn(relation.objectCounter),
})

/**
 * What the row, an account, has the relation to, newest first. A list that is not public is null for any other user, and also has
 * the accounts that are hidden from the viewer.
 */
const objectsOf = (relation: Relation): PageRead => ({
  order: 'desc',
  // Relations to deleted publications may not be erased yet.
  join: { ...joinBy(relation, relation.actorColumn, relation.objectColumn), isWhole: relation.objectType === 'user' },
  ...(relation.objectType === 'user' && totalIn(relation.actorCounter)),
  ...(!relation.objects.isPublic && {
    isVisible: isViewer,
    ...(relation.objectType === 'user' && { place: 'everywhere' as const }),
  }),
})

const isOfUsers = ({ objectType }: Relation) => objectType === 'user'

/** What most objects of the API have of a relation to them: the flag of the viewer, and who else has it. */
function addObjectFields(relation: Relation): void {
  const { verb, on, effect, flag, actors, name } = relation
  const it = isOfUsers(relation) ? 'this account' : 'it'
  const flagField = {
    description: `Whether the viewer ${on.does} ${it}.${effect ? ` ${effect}` : ''}`,
    read: viewerHas(relation),
  }
  const actorsField = actors && {
    type: UserConnection,
    permission: actors.permission,
    description: `Accounts that ${verb} ${isOfUsers(relation) ? 'the user' : 'it'}, most recent ${name.one} first.`,
    read: actorsOf(relation),
  }
  if (isOfUsers(relation)) {
    builder.prismaObjectFields(User, (t) => ({
      [flag]: t.boolean(flagField),
      ...(actors && actorsField && { [actors.field]: t.field({ ...actorsField, args: numberedPageArgs(t.arg) }) }),
    }))
    return
  }
  builder.prismaInterfaceFields(Publication, (t) => ({
    [flag]: t.boolean(flagField),
    ...(actors && actorsField && { [actors.field]: t.field({ ...actorsField, args: numberedPageArgs(t.arg) }) }),
  }))
}

/** What accounts have of their relations: a list of what they lead to, and whether they lead to the viewer. */
function addActorFields(relation: Relation): void {
  const { on, objects, name } = relation
  const items = isOfUsers(relation) ? 'Accounts' : 'Publications'
  const [who, end] = objects.isPublic ? ['user', ''] : ['viewer', '; null for anybody else']
  const objectFlag = relation.objectType === 'user' ? relation.objectFlag : undefined
  builder.prismaObjectFields(User, (t) => ({
    [objects.field]: t.field({
      type: isOfUsers(relation) ? UserConnection : PublicationConnection,
      nullable: !objects.isPublic,
      permission: objects.permission,
      args: numberedPageArgs(t.arg),
      description: `${items} that the ${who} ${on.does}, most recent ${name.one} first${end}.`,
      read: objectsOf(relation),
    }),
    ...(objectFlag && {
      [objectFlag]: t.boolean({
        description: `Whether this account ${on.does} the viewer.`,
        read: hasViewer(relation),
      }),
    }),
  }))
}

for (const relation of relations) {
  addObjectFields(relation)
  addActorFields(relation)
}

for (const { column, field, relation } of countersOf('publication'))
  builder.prismaInterfaceFields(Publication, (t) => ({
    [field]: t.int({
      description: `The number of ${relation.name.many}, the same for everybody.`,
      read: { value: counterIn(column) },
    }),
  }))

for (const { column, field, end, relation } of countersOf('user')) {
  const accounts =
    end === 'object' ? `accounts that ${relation.verb} this account` : `accounts that this account ${relation.on.does}`
  builder.prismaObjectFields(User, (t) => ({
    [field]: t.int({
      description: `The number of ${accounts}, the same for everybody.`,
      read: { value: counterIn(column) },
    }),
  }))
}

for (const relation of relations) {
  const addToggle = relationMutations(relation, isOfUsers(relation) ? User : Publication)
  if (relation === likes)
    addToggle('toggleReplyLike', {
      noun: 'reply',
      type: Reply,
      permission: likeReply,
      errors: '`NOT_FOUND`, also for a post',
    })
}
