import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { account, LocalChain, serveLocal } from '@affine/chain'
import { LOCAL_NETWORK } from '@affine/settlement'
import { interrupted, type Output, output, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { emptyFolder } from '../service/empty-folder.ts'
import { listen } from '../service/listen.ts'

const STAKE = 1_000_000_000_000n
const { epochBlocks } = LOCAL_NETWORK.protocol

/** `af localnet`: a local chain over loopback, and keys to take part in it. */
export const localnet: CommandUnknownOpts = new Command('localnet')
  .description('serve a local chain on loopback, with registered keys for validators and miners')
  .option('--port <number>', '0 takes any that is free', whole(0, 65_535), 9944)
  .option('--block-ms <ms>', 'time between blocks', whole(10, 60_000), 500)
  .option('--validators <n>', 'keys with a permit', whole(1, 64), 3)
  .option('--miners <n>', 'keys without a permit', whole(0, 64), 2)
  .option('--out <folder>', 'where to write keys, and the chain when it ends', 'localnet')
  .option('--json', 'one JSON object a line')
  .addHelpText(
    'after',
    '\nExamples:\n  $ af localnet\n  $ af localnet --block-ms 1000 --validators 5 --miners 4',
  )
  .action(async ({ port, blockMs, validators, miners, out, json }) => {
    const screen = output(json)
    const signal = interrupted()
    const folder = join(await emptyFolder(out), 'keys')
    const keys = [...newKeys('validator', validators, STAKE), ...newKeys('miner', miners, 0n)]
    const neurons = keys.map(({ neuron }) => neuron)
    const chain = LocalChain.create({
      netuid: 120,
      random: () => randomBytes(32),
      time: Date.now(),
      neurons,
      params: { tempo: epochBlocks, weightsRateLimit: 1, stakeThreshold: Number(STAKE) },
    })
    using server = await listen(serveLocal(chain), port)
    await writeKeys(folder, keys)
    const { url } = server
    const text = servingText(url, folder, blockMs)
    screen.line(text, { type: 'serving', url, keys: folder, neurons })
    try {
      await produceBlocks(chain, blockMs, { screen, signal })
    } finally {
      const file = join(out, 'chain.json')
      await writeFile(file, chain.export())
      screen.line(`the chain is in ${file}`, { type: 'ended', file })
    }
  })

/** A key of the subnet: the name of its file, its secret, and its seat on chain. */
interface Key {
  readonly name: string
  readonly secret: Buffer
  readonly neuron: { readonly hotkey: string; readonly stake: bigint }
}

/** So many new keys, whose names are counted from 1. */
function newKeys(role: string, count: number, stake: bigint): readonly Key[] {
  return Array.from({ length: count }, (_, i) => {
    const secret = randomBytes(32)
    return { name: `${role}-${i + 1}`, secret, neuron: { hotkey: account(secret).hotkey, stake } }
  })
}

async function writeKeys(folder: string, keys: readonly Key[]): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  for (const { name, secret } of keys)
    await writeFile(join(folder, name), secret.toString('hex'), { mode: 0o600 })
}

function servingText(url: string, keys: string, blockMs: number): string {
  const pace = `a block every ${blockMs} ms, ${epochBlocks} blocks an epoch`
  const miner = `--network ${url} --key ${join(keys, 'miner-1')}`
  const validator = `--network ${url} --key ${join(keys, 'validator-1')}`
  return [
    `a local chain at ${url}, ${pace}; Ctrl-C ends it. In other terminals:`,
    `  af miner --port 8001 ${miner}`,
    `  af validate ${validator} --folder validator-1 --buckets buckets`,
  ].join('\n')
}

/** Makes a block every `blockMs`, and rejects with the signal's reason once that aborts. */
async function produceBlocks(
  chain: LocalChain,
  blockMs: number,
  { screen, signal }: { readonly screen: Output; readonly signal: AbortSignal },
): Promise<never> {
  for (;;) {
    await sleep(blockMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    const { number } = await chain.produce(Date.now())
    screen.status(`block ${number}, epoch ${Math.floor(number / epochBlocks)}`)
  }
}
