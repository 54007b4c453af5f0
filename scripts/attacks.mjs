// Checks that every attack in docs/protocol.md has a test in test/attacks, and every test there a
// row.
import { readdirSync, readFileSync } from 'node:fs'

const page = readFileSync('docs/protocol.md', 'utf8')
const rows = [...page.matchAll(/^\|.*\| `([^`|]+\.test\.ts)` +\|$/gm)].map(([, file]) => file)
const files = readdirSync('test/attacks').filter((file) => file.endsWith('.test.ts'))

const problems = [
  ...rows.filter((row) => !files.includes(row)).map((row) => `${row}: a row without a test`),
  ...files.filter((file) => !rows.includes(file)).map((file) => `${file}: a test without a row`),
  ...rows.filter((row, i) => rows.indexOf(row) < i).map((row) => `${row}: two rows`),
]
for (const problem of problems) console.error(problem)
console.log(`${rows.length} attacks listed, ${files.length} tested, ${problems.length} problems`)
if (files.length === 0 || problems.length > 0) process.exitCode = 1
