import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { type Exported, exportHistories, indexOf, nameOf } from './histories.ts'

// Writes vectors/conformance.
const folder = new URL('../../vectors/conformance/', import.meta.url)
const all: Exported[] = []
for await (const history of exportHistories()) {
  const bytes = gzipSync(JSON.stringify(history.files), { level: 9 })
  writeFileSync(new URL(nameOf(history.what), folder), bytes)
  all.push(history)
}
writeFileSync(new URL('histories.json', folder), indexOf(all))
