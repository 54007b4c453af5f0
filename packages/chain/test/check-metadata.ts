// Checks that a runtime has all storage and calls that the client of Bittensor's chain needs.
//
//     pnpm test:metadata <file>
//
// The file is metadata in SCALE: raw bytes, hex, or the answer of a node to `state_getMetadata`.
import { readFileSync } from 'node:fs'
import { expandMetadata } from '@polkadot/types'
import { runtimeFaults } from '../src/bittensor/runtime-faults.ts'
import { readMetadata } from './read-metadata.ts'

const [path] = process.argv.slice(2)
if (path === undefined) fail("expected a file of a runtime's metadata: test:metadata <file>")
const faults = faultsIn(path)
for (const fault of faults) console.log(`✘ ${fault}`)
if (faults.length > 0) fail(`${faults.length} faults`)
console.log('the runtime has all storage and calls')

function faultsIn(file: string): readonly string[] {
  try {
    const metadata = readMetadata(readFileSync(file))
    console.log(`metadata V${metadata.version}`)
    return runtimeFaults(expandMetadata(metadata.registry, metadata))
  } catch (error) {
    return fail(`${file}: ${(error as Error).message}`)
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
