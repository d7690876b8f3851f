import { functionOf, parametersOf } from '../src/features/base/function-calls.ts'
import {
  capitalized,
  countersOf,
  hidesBoth,
  isOfTimelines,
  type Relation,
  relations,
  relationsTo,
  repeated,
  requestOf,
} from '../src/features/base/relations.ts'

const defaults: Readonly<Record<string, string>> = {
  ends: ' DEFAULT NULL',
  cause: " DEFAULT 'request'",
  limited: ' DEFAULT false',
}

/** Lines of SQL with this indentation, each after a line break. */
const linesOf = (indentation: number, lines: readonly (string | false | undefined)[]) =>
  lines.flatMap((line) => (line ? `\n${' '.repeat(indentation)}${line}` : [])).join('')

/** What a function returns for something that is set now: another word if it was set before, where that is counted. */
const resultOf = (done: string, { limitName }: Relation) =>
  limitName ? `CASE WHEN is_new THEN '${done}' ELSE '${repeated(done)}' END` : `'${done}'`

/** The SQL function that sets a relation or takes it back. */
export function relationFunction(relation: Relation): string {
  const { on, off, table, actorColumn, objectColumn, objectType, notification, canExpire, limitName } = relation
  const isOfUsers = objectType === 'user'
  const parameters = Object.entries(parametersOf(relation)).map(
    ([name, type]) => `${name} ${type}${defaults[name] ?? ''}`,
  )
  const isPair = `r.${objectColumn} = object AND r.${actorColumn} = viewer`
  const requests = requestsOf(relation, isPair)
  const { names, values, onConflict, returning } = columnsOf(relation)
  const newness = linesOf(4, [
    limitName && `is_new := NOT EXISTS (SELECT FROM ${table} r WHERE ${isPair})${requests.none};`,
    limitName && "IF limited AND is_new THEN RETURN 'limited'; END IF;",
  ])
  const variables = linesOf(2, [
    limitName && 'is_new boolean;',
    !isOfUsers && 'locked record := lock_publication(object, viewer, posts, replies, cause);',
    notification &&
      `recipient uuid := CASE WHEN cause = 'request' THEN ${isOfUsers ? 'object' : 'nullif(locked.author, viewer)'} END;`,
  ])
  const lock = isOfUsers
    ? "IF NOT lock_users(viewer, object, cause) THEN RETURN 'not_found'; END IF;"
    : 'IF locked.refusal IS NOT NULL THEN RETURN locked.refusal; END IF;'
  const expiry = canExpire && `DELETE FROM ${table} r WHERE r.${actorColumn} = viewer AND r.until <= now();`
  return `${commentsOf(relation)}
CREATE OR REPLACE FUNCTION ${functionOf(relation)}(
  ${parameters.join(', ')})
RETURNS text LANGUAGE plpgsql AS $$${variables && `\nDECLARE${variables}`}
BEGIN${linesOf(2, [lock, expiry])}
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM ${table} r WHERE ${isPair})${requests.none};
  END IF;
  IF wanted THEN${refusalsOf(relation, isPair)}${newness}${requests.instead}
    INSERT INTO ${table} (id, ${actorColumn}, ${objectColumn}${names})
      VALUES (new_id, viewer, object${values})
      ON CONFLICT (${objectColumn}, ${actorColumn}) DO ${onConflict};
  ELSE${requests.ended}
    DELETE FROM ${table} r WHERE ${isPair}${returning};
  END IF;${resultsOf(relation)}${hidingOf(relation)}
  RETURN CASE WHEN wanted THEN ${resultOf(on.done, relation)} ELSE '${off.done}' END;
END $$;`.trim()
}

/** What the function of a relation does, as comments. */
function commentsOf(relation: Relation): string {
  const { on, off, objectType, change, notification, canExpire } = relation
  const request = requestOf(relation)
  const isOfUsers = objectType === 'user'
  const refusals = isOfUsers
    ? `not_found${relation.isEndedByBlocks ? ', too_many, or hidden if one of them blocks the other' : ' or too_many'}`
    : `${isOfTimelines(relation) ? 'not_for_everybody, ' : ''}or a refusal of lock_publication`
  const notified = isOfUsers ? 'the other account' : 'the author'
  return linesOf(0, [
    `-- ${capitalized(on.does)} when \`wanted\` is true, ${off.does} when it is false, flips when it is ` +
      'null; `cause` is request, import or deletion.',
    isOfUsers
      ? '-- Both users are locked first, so it is exact under any concurrency, as is the number that is compared with `most`.'
      : '-- The publication is locked first, and each statement has a snapshot of its own, so it is exact ' +
        'under any concurrency, with deletion too.',
    relation.limitName && '-- If `limited` is true, nothing new is set: returns limited.',
    canExpire && '-- Those that have ended are removed first.',
    notification && `-- Only a request notifies ${notified}.`,
    change && '-- Whatever is set or taken back has a change that says so.',
    request &&
      `-- Of a private account, it only makes a request, also in an import. Taking it back removes the request, too.`,
    isOfUsers &&
      relation.hidesFrom === 'both' &&
      '-- It hides each from the other until neither does this, and ends what it forbids.',
    `-- Returns ${[on.done, request?.done, off.done].filter(Boolean).join(', ')}, ${refusals}.`,
  ])
}

/** Why an account may not set a relation. */
function refusalsOf(relation: Relation, isPair: string): string {
  if (isOfTimelines(relation)) {
    const isForEverybody = `SELECT FROM publications p, readable(NULL, p.author_id, p.audience, p.circle_id, p.parent_author_id) r
      WHERE p.id = object AND r`
    return linesOf(4, [`IF NOT EXISTS (${isForEverybody}) THEN RETURN 'not_for_everybody'; END IF;`])
  }
  if (relation.objectType === 'publication') return ''
  const { table, actorColumn, objectColumn, actorCounter, isEndedByBlocks } = relation
  const request = requestOf(relation)
  const others =
    request &&
    `\n      + (SELECT count(*) FROM ${request.table} q WHERE q.${request.actorColumn} = viewer AND q.${request.objectColumn} <> object)`
  const isFull = actorCounter
    ? `(SELECT u.${actorCounter} FROM users u WHERE u.id = viewer)${others ?? ''} >= most
      AND NOT EXISTS (SELECT FROM ${table} r WHERE ${isPair})`
    : `(SELECT count(*) FROM ${table} r WHERE r.${actorColumn} = viewer AND r.${objectColumn} <> object) >= most`
  return linesOf(4, [
    isEndedByBlocks && "IF EXISTS (SELECT FROM hidden_from(viewer, object)) THEN RETURN 'hidden'; END IF;",
    `IF ${isFull} THEN RETURN 'too_many'; END IF;`,
  ])
}

/** What the function of a relation does with requests to private accounts, if it has some. */
function requestsOf(relation: Relation, isPair: string) {
  const request = requestOf(relation)
  if (!request) return { none: '', instead: '', ended: '' }
  const { table, actorColumn, objectColumn, done } = request
  const end = `PERFORM end_${relation.verb}_request(viewer, object);`
  return {
    none: `\n      AND NOT EXISTS (SELECT FROM ${table} q WHERE q.${objectColumn} = object AND q.${actorColumn} = viewer)`,
    instead: linesOf(4, [
      'IF EXISTS (SELECT FROM private_accounts a WHERE a.user_id = object)',
      `  AND NOT EXISTS (SELECT FROM ${relation.table} r WHERE ${isPair}) THEN`,
      `  PERFORM add_${relation.verb}_request(new_id, viewer, object, recipient);`,
      `  RETURN ${resultOf(done, relation)};`,
      'END IF;',
      end,
    ]),
    ended: linesOf(4, [end]),
  }
}

/** The counters and the change of a relation that was set or taken back. */
function resultsOf(relation: Relation): string {
  const { objectType, change, notification } = relation
  const counters = [...countersOf('publication'), ...countersOf('user')].filter((it) => it.relation === relation)
  const updates = counters.map(({ column, end }) => {
    const id = end === 'object' ? 'object' : 'viewer'
    const table = end === 'object' ? `${objectType}s` : 'users'
    return `UPDATE ${table} o SET ${column} = o.${column} + CASE WHEN wanted THEN 1 ELSE -1 END WHERE o.id = ${id};`
  })
  const kind = change && `CASE WHEN wanted THEN '${change.on}' ELSE '${change.off}' END::change_kind`
  const [column, recipient] = notification ? [', recipient_id', ', recipient'] : ['', '']
  const addChange =
    objectType === 'publication'
      ? `PERFORM add_change(${kind}, viewer, object, ${notification ? 'recipient' : 'NULL'});`
      : `INSERT INTO changes (kind, actor_id, user_id${column})
      VALUES (${kind}, viewer, object${recipient});`
  const lines = [...updates, kind && addChange]
  return lines.some(Boolean) ? `\n  IF FOUND THEN${linesOf(4, lines)}\n  END IF;` : ''
}

/** What hides two accounts from one another, and ends the relations that must not be between them then. */
function hidingOf(relation: Relation): string {
  if (!hidesBoth(relation)) return ''
  const { table, actorColumn, objectColumn } = relation
  const ended = relationsTo('user').filter((it) => it.objectType === 'user' && it.isEndedByBlocks)
  const ends = ended.flatMap((it) =>
    ['viewer, object', 'object, viewer'].map((pair) => `${functionOf(it)}(NULL, ${pair}, false, 0, cause => cause)`),
  )
  return `
  IF wanted THEN
    INSERT INTO blocked_pairs (viewer_id, hidden_id) VALUES (viewer, object), (object, viewer) ON CONFLICT DO NOTHING;
    PERFORM ${ends.join(', ')};
  ELSE
    DELETE FROM blocked_pairs h
      WHERE (h.viewer_id = viewer AND h.hidden_id = object OR h.viewer_id = object AND h.hidden_id = viewer)
        AND NOT EXISTS (SELECT FROM ${table} r WHERE r.${actorColumn} = object AND r.${objectColumn} = viewer);
  END IF;`
}

/** The columns of a relation besides its id and its ends: their values, and what a conflict and a deletion do with them. */
function columnsOf({ objectType, objectColumn, notification, canExpire }: Relation) {
  const isOfUsers = objectType === 'user'
  const key = 'CASE WHEN recipient IS NOT NULL THEN notification_key() END'
  const told = isOfUsers ? `CASE WHEN r.notice_key IS NOT NULL THEN r.${objectColumn} END` : 'r.author_id'
  const columns = [
    ...(notification && !isOfUsers ? [['author_id', 'recipient']] : []),
    ...(notification ? [['notice_key', key]] : []),
    ...(canExpire ? [['until', 'ends']] : []),
  ]
  return {
    names: columns.map(([name]) => `, ${name}`).join(''),
    values: columns.map(([, value]) => `, ${value}`).join(''),
    onConflict: canExpire ? 'UPDATE SET until = excluded.until' : 'NOTHING',
    returning: notification ? `\n      RETURNING ${told} INTO recipient` : '',
  }
}

/** The relations that notify, as rows of `notifications_of`. */
const relationNotices = relations
  .flatMap((relation) => [relation, { ...requestOf(relation), objectType: relation.objectType }])
  .flatMap(({ table, actorColumn, objectColumn, objectType, notification }) => {
    if (!notification) return []
    const recipient = objectType === 'user' ? objectColumn : 'author_id'
    return `UNION ALL
  (SELECT r.notice_key, '${notification.kind}', r.${actorColumn}, r.${objectColumn}, NULL
    FROM ${table} r WHERE r.${recipient} = recipient AND r.notice_key > above AND r.notice_key < below
      AND (kinds IS NULL OR '${notification.kind}' = ANY (kinds)) ORDER BY r.notice_key DESC LIMIT most)`
  })

/** The counters of relations in a table, as lists for `rules.sql`. */
function countersIn(type: Relation['objectType']) {
  const columns = countersOf(type).map(({ column }) => column)
  const joined = (before: string, between = ', ', after = '') =>
    columns.map((column) => `${before}${column}${after}`).join(between)
  return { columns: joined(''), old: joined('OLD.'), new: joined('NEW.'), check: joined('', ' AND ', ' >= 0') }
}

/** What files of SQL take from the declarations of relations. */
export const relationConstants = {
  relationNotices: relationNotices.join('\n  '),
  publicationCounters: countersIn('publication'),
  userCounters: countersIn('user'),
}
