// Checks that the gzipped explorer has at most the size stated in docs/explorer.md.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { promisedBytes } from './promised-bytes.mjs'

const folder = 'apps/explorer/dist'
const page = 'docs/explorer.md'

/** Reports whether only the client for Bittensor's nodes loads a file. */
const isClient = (path) => /^assets\/(subtensor|p-retry)-[\w-]+\.js$/.test(path)

/** Reports whether a file is not loaded with the page: the licences, and the protocol. */
const isDocument = (path) => /^licences\.txt$|^assets\/protocol-[\w-]+\.md$/.test(path)

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => !isDocument(path) && statSync(join(folder, path)).isFile())
  .map((path) => ({ path, bytes: gzipSync(readFileSync(join(folder, path))).length }))
const sum = (some) => some.reduce((total, { bytes }) => total + bytes, 0)
const sizes = [
  [
    'the explorer',
    /the page then has at most (\d+) kB/,
    files.filter(({ path }) => !isClient(path)),
  ],
  ["the chain's client", /at most (\d+) kB more/, files.filter(({ path }) => isClient(path))],
]
for (const [name, sentence, some] of sizes) {
  const [bytes, most] = [sum(some), promisedBytes(page, sentence)]
  console.log(`${name}: ${bytes} bytes gzipped, at most ${most}`)
  if (bytes === 0 || bytes > most) process.exitCode = 1
}
