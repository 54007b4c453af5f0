// Gives every reader of untrusted bytes millions of inputs. Options: --inputs n, the total of all
// readers; --seed s; --reader name, for readers whose name contains it.
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'
import { openReaders } from './readers.ts'

const values = readWords()
const seed = Number(values.seed)

/** Reads the options. Ends the process with 2 if they are wrong. */
function readWords(): Record<'inputs' | 'seed' | 'reader', string> {
  try {
    const options = {
      inputs: { type: 'string', default: '10000000' },
      seed: { type: 'string', default: '1' },
      reader: { type: 'string', default: '' },
    } as const
    const { values } = parseArgs({ options })
    if ([values.inputs, values.seed].every((value) => /^\d{1,15}$/.test(value))) return values
  } catch {}
  console.error('expected --inputs n, --seed s, whole numbers, and --reader name')
  process.exit(2)
}
const all = await openReaders()
const readers = all.filter(({ name }) => name.includes(values.reader))
if (readers.length === 0) {
  console.error(`--reader expected one of ${all.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const shares = readers.reduce((sum, { share }) => sum + share, 0)
let inputs = 0
// This timer keeps the process alive, since the server under test does not.
setInterval(() => {}, 60_000)
const started = performance.now()
console.log('reader                  inputs  accepted  outcomes  seconds  slowest ms  most MiB')
for (const reader of readers) {
  const begun = performance.now()
  const report = await fuzz(
    reader,
    Math.ceil((Number(values.inputs) * reader.share) / shares),
    seed,
  )
  inputs += report.inputs
  const row = [
    reader.name.padEnd(20),
    String(report.inputs).padStart(9),
    String(report.accepted).padStart(9),
    String(report.outcomes).padStart(9),
    ((performance.now() - begun) / 1000).toFixed(1).padStart(8),
    report.slowestMs.toFixed(2).padStart(11),
    (report.mostBytes / 2 ** 20).toFixed(1).padStart(9),
  ]
  console.log(row.join(' '))
  if (!report.failure) continue
  const { fault, input } = report.failure
  console.error(`\n${reader.name}, seed ${seed}, input ${report.inputs}: ${fault}`)
  const base64 = Buffer.from(input).toString('base64')
  const path = join(tmpdir(), `fuzz-${reader.name.replaceAll(' ', '-')}.base64`)
  if (base64.length > 4000) writeFileSync(path, base64)
  console.error(`input (base64): ${base64.length > 4000 ? `in ${path}` : base64}`)
  process.exit(1)
}
const seconds = ((performance.now() - started) / 1000).toFixed(0)
console.log(
  `\n${inputs} inputs in ${seconds} s, seed ${seed}: each was read or refused as documented`,
)
process.exit(0)
