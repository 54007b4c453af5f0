// Checks that every attack in docs/protocol.md has a test in test/attacks, and every test there a
// row. A file is named after its attack, or describes several, each by its name.
import { readdirSync, readFileSync } from 'node:fs'

const folder = 'test/attacks'
const page = readFileSync('docs/protocol.md', 'utf8')
const [, table = ''] = /^\| attack .*\n((?:\|.*\n)*)/m.exec(page) ?? []
const rows = [...table.matchAll(/\| `([a-z-]+)` +\|$/gm)].map(([, name]) => name)
const tested = readdirSync(folder)
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => {
    const text = readFileSync(`${folder}/${file}`, 'utf8')
    const described = [...text.matchAll(/^describe\('([a-z-]+)', /gm)].map(([, name]) => name)
    return described.length > 0 ? described : [file.replace('.test.ts', '')]
  })
const twice = (names) => names.filter((name, i) => names.indexOf(name) < i)

const problems = [
  ...rows.filter((row) => !tested.includes(row)).map((row) => `${row}: a row without a test`),
  ...tested.filter((name) => !rows.includes(name)).map((name) => `${name}: a test without a row`),
  ...twice(rows).map((row) => `${row}: two rows`),
  ...twice(tested).map((name) => `${name}: two tests`),
]
for (const problem of problems) console.error(problem)
console.log(`${rows.length} attacks listed, ${tested.length} tested, ${problems.length} problems`)
if (tested.length === 0 || problems.length > 0) process.exitCode = 1
