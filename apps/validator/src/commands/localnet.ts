import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { account, LocalChain, serveLocal } from '@affine/chain'
import { interrupted, networkOf, output } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { listen } from '../listen.ts'
import { emptyFolder, whole } from './options.ts'

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
  .addHelpText('after', '\nExamples:\n  $ af localnet\n  $ af localnet --block-ms 1000 --validators 5 --miners 4')
  .action(async ({ port, blockMs, validators, miners, out, json }) => {
    const screen = output(json)
    const signal = interrupted()
    const { epochBlocks: tempo } = networkOf('local').protocol
    const keys = join(await emptyFolder(out), 'keys')
    const member = (stake: bigint, name: string) => (_: unknown, i: number) => {
      const secret = randomBytes(32)
      return { file: join(keys, `${name}-${i + 1}`), secret, hotkey: account(secret).hotkey, stake }
    }
    const members = [
      ...Array.from({ length: validators }, member(STAKE, 'validator')),
      ...Array.from({ length: miners }, member(0n, 'miner')),
    ]
    const neurons = members.map(({ hotkey, stake }) => ({ hotkey, stake }))
    const params = { tempo, weightsRateLimit: 1, stakeThreshold: Number(STAKE) }
    const chain = LocalChain.create({ netuid: 120, random: () => randomBytes(32), time: Date.now(), neurons, params })
    using server = await listen(serveLocal(chain), port)
    const { url } = server
    await mkdir(keys)
    for (const { file, secret } of members) await writeFile(file, secret.toString('hex'), { mode: 0o600 })
    const text = [
      `a local chain at ${url}, a block every ${blockMs} ms, ${tempo} blocks an epoch; Ctrl-C ends it. In other terminals:`,
      `  af miner --port 8001 --chain ${url} --key ${join(keys, 'miner-1')}`,
      `  af validate --chain ${url} --key ${join(keys, 'validator-1')} --folder validator-1 --buckets buckets`,
    ]
    screen.line(text.join('\n'), { type: 'serving', url, keys, neurons })
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
