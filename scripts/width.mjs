// The formatter keeps code within 100 columns; this holds strings and comments of the sources to it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const COLUMNS = 100

const sources = ['packages', 'apps'].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^[^/]+\/src\/.*\.tsx?$/.test(path))
    .map((path) => join(root, path)),
)
let wide = 0
for (const path of sources) {
  for (const [i, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    if (line.length <= COLUMNS) continue
    wide += 1
    console.error(`${path}:${i + 1}: ${line.length} columns, expected at most ${COLUMNS}`)
  }
}
console.log(`${sources.length} sources, ${wide} lines wider than ${COLUMNS} columns`)
if (sources.length < 100 || wide > 0) process.exitCode = 1
