import { openChain } from '@affine/settlement/open-chain'
import { chainCommand, expandPath, FIRST_EPOCH, readNames, withChain } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type HistoryOptions, history } from './history.ts'

history.action(async (named, options) => {
  const base = expandPath(named ?? process.env.AFFINE_BUCKETS ?? '', 'buckets') || undefined
  checkOptions(options)
  // This import is dynamic, so that help and wrong usage do not load the module.
  const { verify } = await import('./verify.ts')
  const names = await readNames(options.network)
  return withChain(openChain, options, (subnet, screen) =>
    verify(subnet, { ...options, base, names }, screen),
  )
})

history.enablePositionalOptions().addCommand(
  chainCommand('proof', '  $ af-verify proof ./proof.json --network chain.json')
    .description('check the proof of one sample, which the page saves as a file')
    .argument('<file>')
    .addOption(FIRST_EPOCH)
    .action(async (file, options) => {
      const { verifyProof } = await import('./verify.ts')
      const names = await readNames(options.network)
      return withChain(openChain, options, (subnet, screen) =>
        verifyProof(subnet, { file: expandPath(file, 'file'), names }, screen),
      )
    }),
)

export const program: CommandUnknownOpts = history

/**
 * Checks that the options that name epochs agree.
 * @throws RangeError if these options contradict each other.
 */
function checkOptions({
  epoch,
  fromEpoch = 0,
  toEpoch = Number.POSITIVE_INFINITY,
}: HistoryOptions) {
  if (fromEpoch > toEpoch)
    throw new RangeError(`"to-epoch" expected at least ${fromEpoch}, got ${toEpoch}`)
  if (epoch !== undefined && (epoch < fromEpoch || epoch > toEpoch))
    throw new RangeError(`"epoch" expected one of the epochs to recompute, got ${epoch}`)
}
