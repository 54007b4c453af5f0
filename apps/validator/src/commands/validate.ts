import { randomBytes } from 'node:crypto'
import { onChain, openLive, shortHotkey } from '@affine/verifier'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { holdFolder } from '../folder-lock.ts'
import { endpointAgents } from '../miner-client.ts'
import { narrate } from '../narrate.ts'
import { emits, folders } from '../setup.ts'
import { Validator } from '../validator.ts'
import { accountOf, accountOnChain, neuronOf } from './chain.ts'
import { whole } from './options.ts'

const EXAMPLES = `
Examples:
  $ af validate --network http://127.0.0.1:9944 --key localnet/keys/validator-1 --folder validator-1 --buckets buckets
  $ af validate --network finney --wallet validator --hotkey default --folder validator --buckets buckets`

/** `af validate`: one validator, until it is stopped. */
export const validate: CommandUnknownOpts = accountOnChain('validate')
  .description('run a validator: sample, seal, audit, attest, set weights')
  .requiredOption('--folder <folder>', 'its own: journals, secrets, sealed blocks')
  .requiredOption('--buckets <folder>', 'where all buckets are; its own is the one named by its hotkey')
  .option('--emit', 'send to the chain: without it a validator on finney only says what it would send')
  .addOption(new Option('--dry-run', 'send nothing, whatever the network').conflicts('emit'))
  .option('--concurrency <n>', 'calls at once to one miner', whole(1, 10_000), 32)
  .addHelpText('after', EXAMPLES)
  .action(async ({ folder, buckets, concurrency, ...options }) => {
    const account = await accountOf(options)
    const { hotkey } = account
    await using _folder = await holdFolder(folder)
    const places = folders(folder, buckets, hotkey)
    await onChain(openLive, { ...options, salts: places.store }, async ({ chain, network }, screen, signal) => {
      const [{ permit }] = await neuronOf(chain, hotkey)
      const emit = emits(network, options)
      const validator = new Validator({
        ...{ ...places, chain, account, network, emit, now: Date.now, random: randomBytes },
        agent: endpointAgents(concurrency, Date.now),
        on: (event) => signal.aborted || narrate(event, screen, shortHotkey),
      })
      const dry = emit ? '' : ', a dry run: nothing is sent to the chain without --emit'
      screen.line(`validating as ${hotkey}${dry}`, { type: 'started', hotkey, emit })
      const text = 'it has no validator permit yet: permits go to the highest stakes once every tempo'
      if (!permit) screen.line(`! ${text}`, { type: 'warning', text })
      for await (const head of chain.heads(signal)) validator.onHead(head)
    })
  })
