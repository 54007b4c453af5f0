import { randomBytes } from 'node:crypto'
import { remoteChain } from '@affine/chain'
import { interrupted, networkOf, output, shortHotkey } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { holdFolder } from '../folder-lock.ts'
import { endpointAgents } from '../miner-client.ts'
import { narrate } from '../narrate.ts'
import { folders } from '../setup.ts'
import { Validator } from '../validator.ts'
import { readKey, whole } from './options.ts'

const EXAMPLE = `
Example:
  $ af validate --chain http://127.0.0.1:9944 --key localnet/keys/validator-1 --folder validator-1 --buckets buckets`

/** `af validate`: one validator, until it is stopped. */
export const validate: CommandUnknownOpts = new Command('validate')
  .description('run a validator: sample, seal, audit, attest, set weights')
  .requiredOption('--chain <url>', 'where `af localnet` serves the chain')
  .requiredOption('--key <file>', "the validator's key")
  .requiredOption('--folder <folder>', 'its own: journals, secrets, sealed blocks')
  .requiredOption('--buckets <folder>', 'where all buckets are; its own is the one named by its hotkey')
  .option('--network <name>', 'whose rules', 'local')
  .option('--concurrency <n>', 'calls at once to one miner', whole(1, 10_000), 32)
  .option('--json', 'one JSON object a line')
  .addHelpText('after', EXAMPLE)
  .action(async ({ chain: url, key, folder, buckets, network: name, concurrency, json }) => {
    const [screen, signal] = [output(json), interrupted()]
    const [network, account] = [networkOf(name), await readKey(key)]
    await using _folder = await holdFolder(folder)
    const chain = await remoteChain(url)
    const validator = new Validator({
      ...folders(folder, buckets, account.hotkey),
      ...{ chain, account, network, now: Date.now, random: randomBytes },
      agent: endpointAgents(concurrency, Date.now),
      on: (event) => narrate(event, screen, shortHotkey),
    })
    screen.line(`validating as ${account.hotkey}`, { type: 'started', hotkey: account.hotkey })
    for await (const head of chain.heads(signal)) validator.onHead(head)
    signal.throwIfAborted()
  })
