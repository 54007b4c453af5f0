// Gives every reader of untrusted bytes millions of inputs. Options: --inputs n, the total of all
// readers; --seed s; --reader name, for readers whose name contains it.
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'
import { openReaders } from './readers.ts'

const options = {
  inputs: { type: 'string', default: '10000000' },
  seed: { type: 'string', default: '1' },
  reader: { type: 'string', default: '' },
} as const
const { values } = parseArgs({ options })
const [most, seed] = [Number(values.inputs), Number(values.seed)]
if (!(most > 0 && seed >= 0)) throw new Error('expected numbers after --inputs and --seed')
const all = await openReaders()
const readers = all.filter(({ name }) => name.includes(values.reader))
if (readers.length === 0)
  throw new Error(`--reader expected one of ${all.map(({ name }) => name).join(', ')}`)
const shares = readers.reduce((sum, { share }) => sum + share, 0)
let inputs = 0
// This timer keeps the process alive, since the server under test does not.
setInterval(() => {}, 60_000)
for (const reader of readers) {
  const begun = performance.now()
  const count = Math.ceil((most * reader.share) / shares)
  const { failure, ...report } = await fuzz(reader, count, seed)
  inputs += report.inputs
  console.log(reader.name, { ...report, ms: Math.round(performance.now() - begun) })
  if (failure === undefined) continue
  const { fault, input } = failure
  console.error(`\n${reader.name}, seed ${seed}, input ${report.inputs}: ${fault}`)
  const base64 = Buffer.from(input).toString('base64')
  const path = join(tmpdir(), `fuzz-${reader.name.replaceAll(' ', '-')}.base64`)
  if (base64.length > 4000) writeFileSync(path, base64)
  console.error(`input (base64): ${base64.length > 4000 ? `in ${path}` : base64}`)
  process.exit(1)
}
console.log(`\n${inputs} inputs, seed ${seed}: each was read or refused as documented`)
process.exit(0)
