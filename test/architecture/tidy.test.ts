import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { sourceFiles, textOf } from '../support/project/source-files.ts'

/** Words that only this project used, with those that say the same to everybody. */
const banned: Readonly<Record<string, string>> = {
  Edge: 'Relation',
  Caller: 'ApiRequest',
  Identity: 'Viewer',
  Asking: 'RunOptions',
  Requester: 'RequestInfo',
  Context: 'RequestContext',
  Notes: 'LogEntry',
  Service: 'Services',
  App: 'ServerOptions',
  Api: 'ApiServices',
  Reading: 'ReadOptions',
  Hindrance: 'SchemaProblem',
  Letter: 'MailText',
  hidings: 'rules',
  makersOf: 'actorsOf',
  wordsOf: 'the forms in a Relation',
  Slots: 'KeyedSemaphore',
  GiveBack: 'Release',
  whenKnown: 'continueWith',
  toldSince: 'notifyAfter',
  isHeard: 'notMuted',
}
const bannedFile = /(?:^|[/-])(?:edges?|hidings|caller|requester|departures?|hindrances|letters)(?:[-.]|$)/

const longest = 60

/** Functions of more lines, and why they are not parted. */
const long: Readonly<Record<string, string>> = {
  'src/cli/documents.ts addDocuments': 'declares a command, with a part for each subcommand',
  'src/cli/token.ts addToken': 'declares a command, with a part for each subcommand',
  'src/cli/user.ts addUser': 'declares a command, with a part for each subcommand',
  'src/server/config.ts environment': 'has a line for each setting',
  'src/engine/data/pooled-backend.ts openPooledBackend': 'holds what shares the pools and queues of a database',
  'src/engine/mcp/routes.ts addMcp': 'is a plugin, whose routes share its tools',
  'src/features/applications/oauth/interactions.ts addInteractions':
    'is a plugin, whose routes share the step that they are about',
  'src/features/moderation/report-schema.ts fields': 'declares one field after another',
  'src/engine/jobs/jobs.ts startJobs': 'holds what the steps of a worker share',
  'src/engine/http/connections/http-server.ts createHttpServer': 'has a listener for each event of a server',
  'src/server/server.ts createServer': 'puts the server together, in the order of its hooks',
}

const parse = (path: string) => ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true)
const sources = sourceFiles('src').map(parse)
const importers = [...sources, ...['test', 'bench', 'prisma', 'examples'].flatMap(sourceFiles).map(parse)]

/** A node with all nodes below it. */
function nodesOf(node: ts.Node): ts.Node[] {
  const below: ts.Node[] = []
  ts.forEachChild(node, (child) => void below.push(child))
  return [node, ...below.flatMap(nodesOf)]
}

const nodes = new Map(importers.map((file) => [file, nodesOf(file)]))

const namesIn = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name) ? [name.text] : name.elements.flatMap((it) => (ts.isBindingElement(it) ? namesIn(it.name) : []))

/** The names that a declaration gives. */
function namesOf(node: ts.Node): string[] {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.flatMap(({ name }) => namesIn(name))
  if (ts.isVariableDeclaration(node) || ts.isParameter(node)) return namesIn(node.name)
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return node.name ? [node.name.text] : []
  return ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) ? [node.name.text] : []
}

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && !!ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** What a node imports: the names of a file, or everything. */
function importedBy(node: ts.Node): readonly { readonly from: string; readonly name: string }[] {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const from = node.moduleSpecifier.text
    if (!node.importClause) return []
    const bindings = node.importClause.namedBindings
    if (!bindings || !ts.isNamedImports(bindings)) return [{ from, name: '*' }]
    return bindings.elements.map(({ propertyName, name }) => ({ from, name: (propertyName ?? name).text }))
  }
  // `declare module` adds to what another file declares.
  if (ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name)) {
    const from = node.name.text
    const statements = node.body && ts.isModuleBlock(node.body) ? [...node.body.statements] : []
    return statements.flatMap(namesOf).map((name) => ({ from, name }))
  }
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  const specifier = isDynamic ? node.arguments[0] : ts.isImportTypeNode(node) ? node.argument : undefined
  const literal = specifier && ts.isLiteralTypeNode(specifier) ? specifier.literal : specifier
  if (!literal || !ts.isStringLiteral(literal)) return []
  const taker = node.parent.parent
  const names = ts.isVariableDeclaration(taker) && ts.isObjectBindingPattern(taker.name) ? namesIn(taker.name) : ['*']
  return names.map((name) => ({ from: literal.text, name }))
}

const imported = new Set(
  importers.flatMap((file) =>
    (nodes.get(file) ?? [])
      .flatMap(importedBy)
      .map(({ from, name }) => `${normalize(join(dirname(file.fileName), from))} ${name}`),
  ),
)

type Func = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction | ts.MethodDeclaration

const isFunc = (node: ts.Node): node is Func =>
  ts.isFunctionDeclaration(node) ||
  ts.isFunctionExpression(node) ||
  ts.isArrowFunction(node) ||
  ts.isMethodDeclaration(node)

function lengthOf(node: Func): number {
  const file = node.getSourceFile()
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line
  return lineAt(node.end) - lineAt(node.getStart()) + 1
}

/** The name of a function, or of what it is part of. */
function nameOf(node: ts.Node): string | undefined {
  const isNamed = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || isFunc(node)
  return (isNamed ? node.name?.getText() : undefined) ?? (node.parent && nameOf(node.parent))
}

describe('the source code', () => {
  test('exports only what something imports', () => {
    const unused = sources.flatMap((file) =>
      file.statements
        .filter(isExported)
        .flatMap(namesOf)
        .filter((name) => ![name, '*'].some((it) => imported.has(`${file.fileName} ${it}`)))
        .map((name) => `${file.fileName} ${name}`),
    )
    expect(unused).toEqual([])
  })

  test('says everything in the words of the field', () => {
    const named = sources.flatMap((file) => {
      const names = new Set((nodes.get(file) ?? []).flatMap(namesOf))
      return [...names].filter((name) => Object.hasOwn(banned, name)).map((name) => `${file.fileName}: ${name}`)
    })
    expect(named, `say instead: ${JSON.stringify(banned)}`).toEqual([])
    expect(sources.map(({ fileName }) => fileName).filter((path) => bannedFile.test(path))).toEqual([])
  })

  test(`has functions of at most ${longest} lines, except for those that are listed with a reason`, () => {
    const found = sources.flatMap((file) =>
      (nodes.get(file) ?? [])
        .filter(isFunc)
        .filter((node) => lengthOf(node) > longest)
        .map((node) => `${file.fileName} ${nameOf(node)}`),
    )
    expect(found.toSorted()).toEqual(Object.keys(long).toSorted())
  })
})
