// Checks with recheck that every regular expression in the sources takes at most linear time on any
// text. Runs with tsx, to load the files that build expressions.
import { readdirSync, readFileSync } from 'node:fs'
import { register } from 'node:module'
import { join, resolve } from 'node:path'
import recheck from 'recheck/lib/browser.js'
import ts from 'typescript'

/**
 * No time limits, so that the result is the same on every machine. Expressions that repeat a part
 * at most 1100 times are proved, not tried.
 */
const OPTIONS = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  maxRepeatCount: 1100,
}
const LITERAL = /^\/(.*)\/([a-z]*)$/s

const files = ['packages', 'apps']
  .flatMap((root) => readdirSync(root).map((name) => join(root, name, 'src')))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  .filter((path) => /\.tsx?$/.test(path))

/** The first file with each expression. */
const places = new Map()
const note = (literal, file) => places.set(literal, places.get(literal) ?? file)

const builders = new Set()
function notePatterns(file) {
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) note(node.text, file)
    if (ts.isIdentifier(node) && node.text === 'RegExp' && ts.isNewExpression(node.parent))
      builders.add(file)
    ts.forEachChild(node, visit)
  }
  const text = readFileSync(file, 'utf8')
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
}
for (const file of files) notePatterns(file)

/** Files that built an expression when they were loaded. */
const built = new Set()
globalThis.RegExp = new Proxy(RegExp, {
  construct(target, given) {
    const expression = new target(...given)
    const [, , caller] = new Error().stack.split('\n')
    const file = files.find((each) => caller.includes(resolve(each)))
    if (file === undefined) return expression
    built.add(file)
    note(String(expression), file)
    return expression
  },
})

/** Loads a document as text, as the page's build does. */
const LOADER = `import { readFileSync } from 'node:fs'
export const load = (url, context, next) => {
  if (!new URL(url).pathname.endsWith('.md')) return next(url, context)
  const source = 'export default ' + JSON.stringify(readFileSync(new URL(url), 'utf8'))
  return { format: 'module', shortCircuit: true, source }
}`
register(`data:text/javascript,${encodeURIComponent(LOADER)}`)
for (const file of builders) await import(resolve(file))

const problems = [...builders]
  .filter((file) => !built.has(file))
  .map((file) => `${file}: expected to build its expression when it is loaded`)
for (const [literal, file] of places) {
  const [, source, flags] = LITERAL.exec(literal)
  const { status, complexity } = recheck.checkSync(source, flags, OPTIONS)
  if (status !== 'safe') problems.push(`${file}: ${literal}: ${complexity?.summary ?? status}`)
}
for (const problem of problems) console.error(problem)
console.log(`${places.size} regular expressions, ${problems.length} problems`)
if (places.size < 100 || problems.length > 0) process.exitCode = 1
