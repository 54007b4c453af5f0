// `node scripts/conformance.mjs -- <program> <words>` runs a verifier on each history of
// vectors/conformance, and compares its output. In the words, {} is the folder of a history. See
// docs/conformance.md.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const vectors = new URL('../vectors/conformance/', import.meta.url)
const { vectors: histories } = JSON.parse(readFileSync(new URL('histories.json', vectors), 'utf8'))
const [separator, ...words] = process.argv.slice(2)
if (separator !== '--' || words.length === 0) {
  console.error('expected -- and a program with its words; {} is the folder of a history')
  process.exit(2)
}

function unpack(name, folder) {
  mkdirSync(join(folder, 'buckets'), { recursive: true })
  const files = JSON.parse(gunzipSync(readFileSync(new URL(name, vectors))))
  for (const [text, ...paths] of files)
    for (const path of paths.map((path) => join(folder, path))) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
}

/** Runs the program on a folder. Resolves with exit code, roots and flaws. */
async function run(folder) {
  const [program, ...rest] = words.map((word) => word.replaceAll('{}', folder))
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => (stdout += text))
  child.stderr.on('data', (text) => (stderr += text))
  child.once('error', ({ code }) => {
    console.error(`${program} cannot be run: ${code}`)
    process.exit(2)
  })
  const exit = await new Promise((resolve) => child.once('close', resolve))
  const faults = []
  const read = (line, i) => {
    try {
      return line ? Object(JSON.parse(line)) : {}
    } catch {
      faults.push(`line ${i + 1} of the output is not JSON: ${JSON.stringify(line.slice(0, 80))}`)
      return {}
    }
  }
  const records = stdout.split('\n').map(read)
  const of = (kind) => records.filter(({ type }) => type === kind)
  return {
    exit,
    faults: faults.slice(0, 1),
    roots: of('epoch').map(({ root }) => root),
    flaws: of('flaw').map(({ validator, epoch, code }) => [validator, epoch, code]),
    stderr,
  }
}

/** Returns the differences between found and wanted results. */
function compare(found, want) {
  const isOf = ([validator, epoch, ...codes], flaw) =>
    flaw[0] === validator && flaw[1] === epoch && codes.includes(flaw[2])
  const missing = want.flaws.filter((wanted) => !found.flaws.some((flaw) => isOf(wanted, flaw)))
  const surplus = found.flaws.filter((flaw) => !want.flaws.some((wanted) => isOf(wanted, flaw)))
  return [
    ...found.faults,
    ...(found.exit === want.exit ? [] : [`exit code ${found.exit}, expected ${want.exit}`]),
    ...(`${found.roots}` === `${want.roots}`
      ? []
      : [`roots ${found.roots}, expected ${want.roots}`]),
    ...missing.map((flaw) => `missing flaw ${flaw.join(' ')}`),
    ...surplus.map((flaw) => `unexpected flaw ${flaw.join(' ')}`),
  ]
}

const scratch = mkdtempSync(join(tmpdir(), 'conformance-'))
process.once('exit', () => rmSync(scratch, { recursive: true }))
const waiting = [...histories]
let failed = 0
async function runNext() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { what, input, want } = next
    const folder = join(scratch, input.replace('.json.gz', ''))
    unpack(input, folder)
    const found = await run(folder)
    rmSync(folder, { recursive: true })
    const differences = compare(found, want)
    if (differences.length === 0) continue
    failed += 1
    console.log([what, ...differences, found.stderr.trim()].join('\n  '))
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, runNext))
console.log(`${histories.length - failed} histories passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
