import { directoryBucket } from '@affine/blocks/directory'
import { ChainError } from '@affine/chain'
import { onChain, openLive, recompute } from '@affine/verifier'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { bucketsIn, emits } from '../setup.ts'
import { readersState } from '../starting-state.ts'
import { accountOf, neuronOf, shown } from './chain.ts'
import { replayCommand, withAccount } from './options.ts'

/** `af set-weights`: what a validator does once an epoch, once. */
export const setWeights: CommandUnknownOpts = withAccount(replayCommand('set-weights'))
  .description('recompute the champion, and give it all weight once')
  .option(
    '--folder <folder>',
    "the validator's: for salts, where weights are committed and revealed",
  )
  .option('--emit', 'send them: on finney, they are only shown without')
  .addOption(new Option('--dry-run', 'send nothing, whatever the network').conflicts('emit'))
  .addHelpText(
    'after',
    '\nExample:\n  $ af set-weights --network http://127.0.0.1:9944 --key k --buckets buckets',
  )
  .action(async ({ buckets, last, folder, ...options }) => {
    const account = await accountOf(options)
    const { hotkey } = account
    const salts = folder === undefined ? undefined : directoryBucket(folder)
    await onChain(openLive, { ...options, salts }, async ({ chain, network }, screen) => {
      const asked = { chain, network, openBucket: bucketsIn(buckets, network), compare: false }
      let state = await readersState(asked, last)
      for await (const settled of recompute({ ...asked, from: state })) state = settled.state
      const { champion } = state
      const [{ permit }, neurons] = await neuronOf(chain, hotkey)
      if (!permit) throw new ChainError('NeuronNoValidatorPermit')
      const uid = neurons.find(({ hotkey }) => hotkey === champion?.hotkey)?.uid
      const lack = champion
        ? `the champion ${champion.hotkey} is no longer registered`
        : 'there is no champion yet'
      if (uid === undefined) throw new Error(`${lack}: no weights to set in this epoch`)
      const weights = [[uid, 65_535]] as const
      const text = `${shown(weights)}, to the champion ${champion?.hotkey}`
      const record = { type: 'weights', hotkey, weights }
      if (!emits(network, options))
        return screen.line(`would set ${text}; nothing is sent`, { ...record, type: 'withheld' })
      const { number: block } = await chain.setWeights(account, weights)
      const { [hotkey]: held = [] } = await chain.weights(block)
      screen.line(`block ${block} has ${text}. In force until a reveal: ${shown(held)}`, {
        ...record,
        block,
        held,
      })
    })
  })
