import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { account, encodeCommitment, LocalChain, serveLocal } from '@affine/chain'
import {
  FIRST_EPOCH,
  interrupted,
  LOCAL_NETWORK,
  NETUID,
  onChain,
  openLive,
  output,
} from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { listen, serveMiner } from '../reference-miner.ts'
import { accountOf } from './chain.ts'
import { emptyFolder, shareOption, whole, withAccount } from './options.ts'

const STAKE = 1_000_000_000_000n

/** `af localnet`: a local chain over loopback, and keys to take part in it. */
export const localnet: CommandUnknownOpts = new Command('localnet')
  .description('serve a local chain on loopback, with registered keys for validators and miners')
  .option('--port <number>', '0 takes any that is free', whole(0, 65_535), 9944)
  .option('--block-ms <ms>', 'time between blocks', whole(10, 60_000), 500)
  .option('--validators <n>', 'keys with a permit', whole(1, 64), 3)
  .option('--miners <n>', 'keys without', whole(0, 64), 2)
  .option('--out <folder>', 'where to write keys, and the chain when it ends', 'localnet')
  .option('--json', 'one JSON object a line')
  .addHelpText(
    'after',
    '\nExamples:\n  $ af localnet\n  $ af localnet --block-ms 1000 --validators 5 --miners 4',
  )
  .action(async ({ port, blockMs, validators, miners, out, json }) => {
    const [screen, signal] = [output(json), interrupted()]
    const { epochBlocks: tempo } = LOCAL_NETWORK.protocol
    const keys = join(await emptyFolder(out), 'keys')
    const secrets = Array.from({ length: validators + miners }, () => randomBytes(32))
    const neurons = secrets.map((secret, i) => ({
      hotkey: account(secret).hotkey,
      stake: i < validators ? STAKE : 0n,
    }))
    const params = { tempo, weightsRateLimit: 1, stakeThreshold: Number(STAKE) }
    const chain = LocalChain.create({
      netuid: 120,
      random: () => randomBytes(32),
      time: Date.now(),
      neurons,
      params,
    })
    using server = await listen(serveLocal(chain), port)
    await mkdir(keys)
    for (const [i, secret] of secrets.entries()) {
      const name = i < validators ? `validator-${i + 1}` : `miner-${i + 1 - validators}`
      await writeFile(join(keys, name), secret.toString('hex'), { mode: 0o600 })
    }
    const text = [
      `a local chain at ${server.url}, a block every ${blockMs} ms, ${tempo} blocks an epoch; Ctrl-C ends it. In other terminals:`,
      `  af miner --port 8001 --network ${server.url} --key ${join(keys, 'miner-1')}`,
      `  af validate --network ${server.url} --key ${join(keys, 'validator-1')} --folder validator-1 --buckets buckets`,
    ]
    screen.line(text.join('\n'), { type: 'serving', url: server.url, keys, neurons })
    try {
      for (;;) {
        await sleep(blockMs, undefined, { signal }).catch(() => signal.throwIfAborted())
        const { number } = await chain.produce(Date.now())
        screen.status(`block ${number}, epoch ${Math.floor(number / tempo)}`)
      }
    } finally {
      const file = join(out, 'chain.json')
      await writeFile(file, chain.export())
      screen.line(`the chain is in ${file}`, { type: 'ended', file })
    }
  })

const MINER_EXAMPLES = `
Examples:
  $ af miner --skill 0.8 --port 8001
  $ af miner --network http://127.0.0.1:9944 --key localnet/keys/miner-1`

/** `af miner`: a reference miner behind HTTP. */
export const miner: CommandUnknownOpts = withAccount(new Command('miner'))
  .description('serve a reference miner: an OpenAI-compatible endpoint of a chosen skill')
  .option(
    '--skill <share>',
    "the share of replies that are a perfect player's, 0 to 1",
    shareOption,
    0.8,
  )
  .option('--seed <text>', 'of its luck: the same seed answers the same prompt alike', 'miner')
  .option('--port <number>', '0 takes any that is free', whole(0, 65_535), 8001)
  .option(
    '--network <where>',
    "a chain to commit the miner to: local, test, a node's URL, or that of `af localnet`",
  )
  .addOption(NETUID)
  .addOption(FIRST_EPOCH)
  .option('--json', 'one JSON object a line')
  .addHelpText('after', MINER_EXAMPLES)
  .action(async ({ skill, seed, port, network, json, ...options }) => {
    if (network === undefined && Object.keys(options).length > 0)
      throw new RangeError(
        '"--network" expected with a hotkey or a subnet: a chain to commit the miner to',
      )
    const [screen, signal] = [output(json), interrupted()]
    const account =
      network === undefined ? undefined : await accountOf({ ...options, ...(json && { json }) })
    using server = await serveMiner({ skill, seed }, port)
    screen.line(`serving ${server.url}, skill ${skill}; Ctrl-C ends it`, {
      type: 'serving',
      url: server.url,
      skill,
    })
    if (network !== undefined && account !== undefined) {
      const model = `affine/reference-${account.hotkey}`
      const fields = encodeCommitment({ kind: 'miner', model, revision: 'main', chute: server.url })
      await onChain(
        openLive,
        { firstEpoch: 0, network, ...options },
        async ({ chain, network: { careful } }) => {
          if (careful)
            throw new RangeError(`"network" expected one to try things on, got ${network}`)
          const { number } = await chain.commit(account, fields)
          screen.line(`committed ${model} in block ${number}`, {
            type: 'committed',
            model,
            block: number,
          })
        },
      )
    }
    if (!signal.aborted) await once(signal, 'abort')
    signal.throwIfAborted()
  })
