// Checks that every attack in docs/protocol.md has one test in test/attacks, and each test one row.
// A file has the name of its attack, or a `describe` with the name of each of its attacks.
import assert from 'node:assert/strict'
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
assert.deepEqual(tested.sort(), rows.sort())
assert.notEqual(rows.length, 0)
console.log(`${rows.length} attacks listed, each with its test`)
