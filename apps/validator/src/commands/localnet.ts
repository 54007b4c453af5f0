import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectEnvs } from '@affine/envs'
import { lockFolder } from '@affine/node/disk'
import { listen } from '@affine/node/listen'
import { LOCAL_NETWORK } from '@affine/settlement'
import {
  chainPath,
  hasChain,
  isUnused,
  keysPath,
  openFolder,
  openKey,
  type StoredChain,
} from '@affine/settlement/node'
import {
  createCommand,
  ENV_MODULES,
  formatCommand,
  interrupted,
  output,
  whole,
} from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'

const { epochBlocks } = LOCAL_NETWORK.protocol

/** Defaults for a new chain: numbers of keys, and the maximum number of neurons. */
const DEFAULTS = { validators: 3, miners: 2, maxUids: 256 }

const EXAMPLES = `  $ af localnet
  $ af localnet --block-ms 1000 --validators 5 --miners 4`

export const localnet: CommandUnknownOpts = createCommand('localnet', EXAMPLES)
  .option('--port <number>', 'the port to listen on; 0 for any free port', whole(0, 65_535), 9944)
  .option('--block-ms <ms>', 'milliseconds between blocks', whole(10, 60_000), 500)
  .option(
    '--validators <n>',
    `keys with a validator permit (default: ${DEFAULTS.validators})`,
    whole(1, 64),
  )
  .option('--miners <n>', `keys without a permit (default: ${DEFAULTS.miners})`, whole(0, 64))
  .option(
    '--max-uids <n>',
    `maximum number of neurons; further registrations evict others (default: ${DEFAULTS.maxUids})`,
    whole(1, 256),
  )
  .option('--out <folder>', 'the folder of keys and chain; continues the chain in it', 'localnet')
  .addOption(ENV_MODULES)
  .action(async ({ port, blockMs, out, json, envModule, ...options }) => {
    const screen = output(json)
    const signal = interrupted()
    await using _folder = await lockFolder(out)
    if (!hasChain(out) && !(await isUnused(out)))
      throw misuse('--out', 'an empty folder, or that of a localnet', resolve(out))
    const begin = { ...DEFAULTS, ...options }
    if (!hasChain(out)) expectFreeUids(begin)
    await using net = await openFolder(out, begin)
    if (net.chain.envs) expectEnvs(net.chain.envs)
    await addMiners(net, out, options)
    const { chain } = net
    using server = await listen(net.serve, port)
    const { url } = server
    const block = chain.height
    const { neurons } = await chain.snapshot(block)
    const keys = keysPath(out)
    const since = block === 0 ? '' : `, continued after block ${block}`
    const pace = `a block every ${blockMs} ms, ${epochBlocks} blocks an epoch`
    const text = `a local chain at ${url}${since}: ${pace}; Ctrl-C stops it. In other terminals:`
    const record = { type: 'serving', url, block, keys: resolve(keys), neurons }
    screen.line([text, ...formatJoinHints(url, keys, envModule)].join('\n'), record)
    await makeBlocks(net, blockMs, signal, screen.status)
    const file = chainPath(out)
    screen.line(`the chain is in ${file}`, { type: 'ended', file })
    signal.throwIfAborted()
  })

/** @throws RangeError if there are more keys than uids. */
function expectFreeUids({ validators, miners, maxUids }: typeof DEFAULTS): void {
  const keys = validators + miners
  if (keys > maxUids) throw misuse('--max-uids', `at least ${keys}, as many as keys`, maxUids)
}

const misuse = (option: string, expected: string, got: number | string): RangeError =>
  new RangeError(`"${option}" expected ${expected}, got ${got}`)

/**
 * Registers keys until the chain has the requested number of miners.
 * @throws RangeError if the chain has more miners than requested, another number of validators or
 *   uids, or fewer uids than keys.
 */
async function addMiners(net: StoredChain, out: string, options: Partial<typeof DEFAULTS>) {
  const { chain } = net
  const { maxUids, neurons } = await chain.snapshot(chain.height)
  const validators = neurons.filter(({ stake }) => stake > 0n).length
  const miners = neurons.length - validators
  const target = { validators, miners, maxUids, ...options }
  const has = 'as in the chain of this folder'
  if (target.validators !== validators)
    throw misuse('--validators', `${validators}, ${has}`, target.validators)
  if (target.maxUids !== maxUids) throw misuse('--max-uids', `${maxUids}, ${has}`, target.maxUids)
  if (target.miners < miners) throw misuse('--miners', `at least ${miners}, ${has}`, target.miners)
  expectFreeUids(target)
  const registered: Promise<unknown>[] = []
  for (let number = miners + 1; number <= target.miners; number++)
    registered.push(chain.register(await openKey(out, `miner-${number}`)))
  if (registered.length > 0) await makeBlock(net)
  await Promise.all(registered)
}

type Show = (text: string) => void

/**
 * Makes a block every `ms` milliseconds until the signal aborts, and then a last block, which
 * includes pending transactions.
 */
async function makeBlocks(net: StoredChain, ms: number, signal: AbortSignal, show: Show) {
  while (!signal.aborted) {
    await sleep(ms, undefined, { signal }).catch(() => undefined)
    await makeBlock(net)
    const { height } = net.chain
    show(`block ${height}, epoch ${Math.floor(height / epochBlocks)}`)
  }
}

/** Makes a block with the current time, or the last block's time if the clock was set back. */
async function makeBlock(net: StoredChain): Promise<void> {
  const { chain } = net
  await net.produce(Math.max(Date.now(), await chain.time(chain.height)))
}

function formatJoinHints(url: string, keys: string, envModule?: string): readonly string[] {
  const modules = envModule ? ` --env-module ${envModule}` : ''
  const hint = (command: string, key: string): string =>
    `  $ ${formatCommand('af')} ${command} --network ${url} --key ${join(keys, key)}${modules}`
  const validate = hint('validate', 'validator-1')
  return [
    hint('miner --port 8001', 'miner-1'),
    `${validate} --folder validator-1 --buckets buckets`,
  ]
}
