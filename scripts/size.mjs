// The whole stays readable: 6,200 lines of code in packages and apps, 150 in a file, comments and blanks left out.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const MOST_IN_ALL = 6200
const MOST_IN_A_FILE = 150

/** Lines that are neither blank nor comment. */
function codeLines(text) {
  const code = text.replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '')
  return code.split('\n').filter((line) => !/^\s*(\/\/|$)/.test(line)).length
}

const sources = ['packages', 'apps'].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^[^/]+\/src\/.*\.tsx?$/.test(path))
    .map((path) => join(root, path)),
)
const sizes = sources.map((path) => ({ path, lines: codeLines(readFileSync(path, 'utf8')) }))
const all = sizes.reduce((sum, { lines }) => sum + lines, 0)
const large = sizes.filter(({ lines }) => lines > MOST_IN_A_FILE)
for (const { path, lines } of large) console.error(`${path}: ${lines} lines, expected at most ${MOST_IN_A_FILE}`)
console.log(`${all} lines of code in ${sources.length} files, expected at most ${MOST_IN_ALL}`)
process.exit(all > 0 && all <= MOST_IN_ALL && large.length === 0 ? 0 : 1)
