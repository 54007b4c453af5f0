import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdFolder } from '@affine/engine/node'
import { listen } from '@affine/miners/node'
import { LOCAL_NETWORK } from '@affine/settlement'
import { chainIn, type KeptChain, keysIn, openFolder } from '@affine/settlement/node'
import { interrupted, type Output, output, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { programName } from '../service/program-name.ts'
import { addMiner } from './localnet/add-miner.ts'
import { DEFAULTS, expectBegun, expectFolder } from './localnet/folder.ts'

const { epochBlocks } = LOCAL_NETWORK.protocol

const EXAMPLES = `
If the folder is of an earlier run, its chain goes on.

Examples:
  $ af localnet
  $ af localnet --block-ms 1000 --validators 5 --miners 4
  $ af localnet add-miner miner-5`

/** `af localnet`: a local chain over loopback, and keys to take part in it. */
export const localnet: CommandUnknownOpts = new Command('localnet')
  .description('serve a local chain on loopback, with registered keys for validators and miners')
  .option(
    '--port <number>',
    'the port to listen at; 0 takes any free port',
    whole(0, 65_535),
    DEFAULTS.port,
  )
  .option('--block-ms <ms>', 'milliseconds between blocks', whole(10, 60_000), 500)
  .option(
    '--validators <n>',
    `keys with a validator permit (default: ${DEFAULTS.validators})`,
    whole(1, 64),
  )
  .option('--miners <n>', `keys without a permit (default: ${DEFAULTS.miners})`, whole(0, 64))
  .option('--out <folder>', 'the folder of the keys and the chain', DEFAULTS.out)
  .option('--json', 'print JSON, one object a line')
  .addHelpText('after', EXAMPLES)
  .action(async ({ port, blockMs, out, json, ...asked }) => {
    const screen = output(json)
    const signal = interrupted()
    await using _folder = await holdFolder(out)
    await expectFolder(out)
    const { validators = DEFAULTS.validators, miners = DEFAULTS.miners } = asked
    await using kept = await openFolder(out, { validators, miners })
    await expectBegun(kept.chain, asked)
    await serveChain(kept, { port, blockMs, out, screen, signal })
    await makeBlock(kept) // of what still waits
    const file = chainIn(out)
    screen.line(`the chain is in ${file}`, { type: 'ended', file })
    signal.throwIfAborted()
  })
localnet.addCommand(addMiner)

interface Serving {
  readonly port: number
  readonly blockMs: number
  readonly out: string
  readonly screen: Output
  readonly signal: AbortSignal
}

/** Serves the chain, and makes a block every `blockMs`, until the signal aborts. */
async function serveChain(kept: KeptChain, serving: Serving): Promise<void> {
  const { port, blockMs, out, screen, signal } = serving
  const { chain } = kept
  using server = await listen(kept.serve, port)
  const { url } = server
  const block = chain.height
  const { neurons } = await chain.snapshot(block)
  const text = servingText(url, { block, blockMs, keys: keysIn(out) })
  screen.line(text, { type: 'serving', url, block, keys: resolve(keysIn(out)), neurons })
  while (!signal.aborted) {
    await sleep(blockMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    await makeBlock(kept)
    const { height } = chain
    screen.status(`block ${height}, epoch ${Math.floor(height / epochBlocks)}`)
  }
}

/** Makes a block now; where the clock was set back, at the time of the last. */
async function makeBlock(kept: KeptChain): Promise<void> {
  const { chain } = kept
  await kept.produce(Math.max(Date.now(), await chain.time(chain.height)))
}

interface ServedChain {
  readonly block: number
  readonly blockMs: number
  readonly keys: string
}

function servingText(url: string, { block, blockMs, keys }: ServedChain): string {
  const af = programName('af')
  const pace = `a block every ${blockMs} ms, ${epochBlocks} blocks an epoch`
  const since = block === 0 ? '' : `, which goes on after block ${block}`
  const miner = `--network ${url} --key ${join(keys, 'miner-1')}`
  const validator = `--network ${url} --key ${join(keys, 'validator-1')}`
  return [
    `a local chain at ${url}${since}: ${pace}; Ctrl-C ends it. In other terminals:`,
    `  $ ${af} miner --port 8001 ${miner}`,
    `  $ ${af} validate ${validator} --folder validator-1 --buckets buckets`,
  ].join('\n')
}
