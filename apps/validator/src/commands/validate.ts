import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { remoteChain } from '@affine/chain'
import { epochText, networkOf, openBucket, printable, shortHotkey } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { holdFolder } from '../folder-lock.ts'
import { readKey } from '../key-file.ts'
import { endpointAgents } from '../miner-client.ts'
import { interrupted, output } from '../output.ts'
import type { Event } from '../setup.ts'
import { Validator } from '../validator.ts'
import { whole } from './options.ts'

/** `af validate`: one validator, until it is stopped. */
export const validate: CommandUnknownOpts = new Command('validate')
  .description('run a validator: sample, seal, audit, attest, set weights')
  .requiredOption('--chain <url>', 'where `af localnet` serves the chain')
  .requiredOption('--key <file>', "the validator's key")
  .requiredOption('--folder <folder>', 'its own folder: journals, secrets, sealed blocks')
  .requiredOption(
    '--buckets <folder>',
    'where the buckets of all validators are; its own is the one named by its hotkey',
  )
  .option('--network <name>', 'whose rules', 'local')
  .option('--concurrency <n>', 'calls at once to one miner', whole(1, 10_000), 32)
  .option('--json', 'one JSON object a line')
  .addHelpText(
    'after',
    '\nExample:\n  $ af validate --chain http://127.0.0.1:9944 --key localnet/keys/validator-1 --folder validator-1 --buckets buckets',
  )
  .action(async ({ chain: url, key, folder, buckets, network, concurrency, json }) => {
    const screen = output(json ?? false)
    const signal = interrupted()
    const account = await readKey(key)
    const release = await holdFolder(folder)
    try {
      const chain = await remoteChain(url)
      await mkdir(join(buckets, account.hotkey), { recursive: true })
      const validator = new Validator({
        chain,
        account,
        network: networkOf(network),
        folder,
        store: directoryBucket(folder),
        bucket: directoryBucket(join(buckets, account.hotkey)),
        bucketUrl: account.hotkey,
        openBucket: (hotkey, at) => openBucket(hotkey, at, buckets),
        agent: endpointAgents(concurrency, Date.now),
        now: Date.now,
        random: randomBytes,
        on: (event) => report(event, screen),
      })
      screen.line(`validating as ${account.hotkey}`, { type: 'started', hotkey: account.hotkey })
      for await (const head of chain.heads(signal)) validator.onHead(head)
      signal.throwIfAborted()
    } finally {
      await release()
    }
  })

function report(event: Event, screen: ReturnType<typeof output>): void {
  if (event.type === 'epoch') {
    const { before, report } = event.settled
    screen.line(epochText(event.settled, shortHotkey).join('\n'), { type: 'epoch', epoch: before.epoch, report })
  } else if (event.type === 'sample') {
    screen.status(`epoch ${event.epoch}: ${event.left} challenges left`)
  } else if (event.type === 'sent') {
    screen.line(`${event.what} is in block ${event.block}`, event)
  } else if (event.type === 'problem') {
    const { what, error } = event
    screen.line(`${what}: ${printable(error.message, 500)}`, { type: 'problem', what, message: error.message })
  }
}
