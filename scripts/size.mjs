// Checks that the explorer is at most 133 kB, gzipped, without the client for Bittensor's nodes.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const MOST_BYTES = 133_000
const folder = 'apps/explorer/dist'

/** The client for Bittensor's nodes, which is loaded only if a node is asked. */
const isClient = (path) => /^assets\/subtensor-[\w-]+\.js$/.test(path)

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => statSync(join(folder, path)).isFile())
  .map((path) => ({ path, bytes: gzipSync(readFileSync(join(folder, path))).length }))
const sum = (some) => some.reduce((so, { bytes }) => so + bytes, 0)
const [page, client] = [
  sum(files.filter(({ path }) => !isClient(path))),
  sum(files.filter(({ path }) => isClient(path))),
]
console.log(
  `the explorer: ${page} bytes gzipped, at most ${MOST_BYTES}; the chain's client ${client} more`,
)
if (client === 0 || page > MOST_BYTES) process.exitCode = 1
