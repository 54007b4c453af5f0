// Checks that lines, except in tests, have at most 100 columns. The formatter breaks neither
// strings nor comments.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const COLUMNS = 100

const parts = ['packages', 'apps'].flatMap((root) =>
  readdirSync(root).flatMap((name) => [join(root, name, 'src'), join(root, name, 'bench')]),
)
const sources = [...parts, 'bench', 'scripts'].filter(existsSync).flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
    .map((path) => join(folder, path)),
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
