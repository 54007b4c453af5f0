// Checks that no code branches on a sentence: on the message of an error, or on one of our fields
// with sentences. Such code breaks when the sentence is improved.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import ts from 'typescript'

const SENTENCES = new Set(['message', 'detail', 'what', 'text', 'why'])
const OPERATIONS = new Set([
  ...['startsWith', 'endsWith', 'includes', 'indexOf', 'match', 'matchAll', 'replace'],
  ...['replaceAll', 'search', 'split', 'slice', 'substring'],
])
/** Methods whose result depends on their argument. */
const LOOKUPS = new Set(['test', 'exec', 'has', 'get', 'set', 'add', 'includes', 'indexOf'])
const COMPARISONS = new Set([
  ...[ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken],
  ...[ts.SyntaxKind.EqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsToken],
])

/** Files that have to read sentences, each with the reason. */
const EXCEPTIONS = new Map([
  ['packages/chain/src/bittensor/refusal.ts', 'nodes state the reason of a refusal only in words'],
  ['packages/chain/src/bittensor/subtensor.ts', 'nodes have no code for a forgotten state'],
  ['packages/miners/src/completion.ts', "the JSON parser's message is made printable"],
])

/** A file with cases: exactly its lines that end with `// found` must be reported. */
const SAMPLE = 'scripts/messages-sample.ts'
const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const include = ['packages/*/src', 'apps/*/src', 'scripts']
const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include }, ts.sys, '.')
const program = ts.createProgram(fileNames, { ...options, allowJs: true })
const checker = program.getTypeChecker()

/**
 * Reports whether a property has sentences: its name is in SENTENCES, its type includes string, and
 * this project or an error declares it.
 */
function isSentence(property, node) {
  if (property === undefined || !SENTENCES.has(property.name)) return false
  const type = checker.getTypeOfSymbolAtLocation(property, node)
  const parts = type.isUnion() ? type.types : [type]
  if (!parts.some((part) => part.flags & ts.TypeFlags.String)) return false
  return property.declarations?.some((declaration) => {
    const isOurs = !declaration.getSourceFile().fileName.includes('node_modules')
    return isOurs || /Error$/.test(declaration.parent.name?.text)
  })
}

/**
 * Reports whether an expression is a property that `isSentence` accepts, also through a constant or
 * a destructuring, or with a default after `??`.
 */
function isText(node) {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return isText(node.expression)
  if (ts.isBinaryExpression(node)) {
    const isDefault = node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken
    return isDefault && isText(node.left)
  }
  if (ts.isPropertyAccessExpression(node))
    return isSentence(checker.getSymbolAtLocation(node.name), node)
  if (!ts.isIdentifier(node)) return false
  const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration
  if (declaration === undefined) return false
  if (ts.isVariableDeclaration(declaration) && declaration.initializer)
    return isText(declaration.initializer)
  if (!ts.isBindingElement(declaration) || !ts.isObjectBindingPattern(declaration.parent))
    return false
  const { text } = declaration.propertyName ?? declaration.name
  const property = checker.getTypeAtLocation(declaration.parent).getProperty(text)
  return isSentence(property, node)
}

function isDecision(node) {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression, name } = node.expression
    if (OPERATIONS.has(name.text) && isText(expression)) return true
    return LOOKUPS.has(name.text) && node.arguments.slice(0, 1).some(isText)
  }
  if (ts.isBinaryExpression(node)) {
    const { left, operatorToken, right } = node
    if (operatorToken.kind === ts.SyntaxKind.InKeyword) return isText(left)
    if (!COMPARISONS.has(operatorToken.kind)) return false
    const isAbsence = [left, right].some(
      (side) => side.kind === ts.SyntaxKind.NullKeyword || side.text === 'undefined',
    )
    return !isAbsence && (isText(left) || isText(right))
  }
  if (ts.isSwitchStatement(node) || ts.isComputedPropertyName(node)) return isText(node.expression)
  return ts.isElementAccessExpression(node) && isText(node.argumentExpression)
}

/** Returns the lines of a file, from 1, that branch on a sentence. */
function decisionsIn(file) {
  const lines = new Set()
  const visit = (node) => {
    if (isDecision(node)) lines.add(file.getLineAndCharacterOfPosition(node.getStart()).line + 1)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return [...lines]
}

const found = new Map()
for (const name of fileNames) {
  const lines = decisionsIn(program.getSourceFile(name))
  if (lines.length > 0) found.set(relative('.', name), lines)
}
const sample = readFileSync(SAMPLE, 'utf8').split('\n')
const wanted = sample.flatMap((line, i) => (line.endsWith('// found') ? [i + 1] : []))
assert.deepEqual(found.get(SAMPLE), wanted)
found.delete(SAMPLE)
const excused = [...EXCEPTIONS.keys()]
const stale = excused.filter((path) => !found.has(path))
for (const path of stale) console.error(`${path}: reads no sentence; remove its exception`)
const problems = [...found].filter(([path]) => !excused.includes(path))
for (const [path, lines] of problems)
  console.error(`${path}:${lines.join(', ')}: branches on a sentence; add a code or field`)
console.log(`${fileNames.length} sources, ${problems.length} branch on a sentence`)
if (fileNames.length < 100 || problems.length + stale.length > 0) process.exitCode = 1
