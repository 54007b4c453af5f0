import { decodeCommitment, encodeCommitment, readSlot } from '@affine/chain'
import type { Asked } from '@affine/miners'
import { queueIn, readyText } from '@affine/report'
import { type Network, openLive, type Subnet } from '@affine/settlement'
import { type Output, onChain, shown } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { checkAnswers } from '../examination/examine.ts'
import { sayFinding } from '../examination/findings.ts'
import { expectNothingOf, ownSeat } from '../examination/seat.ts'
import { accountOf, accountOnChain } from '../service/account.ts'
import { agentsHere } from '../service/agents.ts'
import { emits } from '../settings/settings.ts'
import { BUCKETS, type ReplayOptions, replayOf } from './replay.ts'

/** `af commit`: a miner's commitment. */
export const commit: CommandUnknownOpts = accountOnChain('commit')
  .requiredOption('--model <name>', "the model's name, which ends with the hotkey")
  .requiredOption('--revision <hash>', "the model's revision: a commit's hash")
  .requiredOption('--chute <id|url>', "the chute's id, or on a local network the endpoint's URL")
  .option('--emit', 'send the commitment; on finney, without it, the commitment is only shown')
  .option(
    '--anyway',
    'send it untried; else eight challenges of each environment are played first, and some reply ' +
      'in each must be legal; a chute on Chutes is asked with CHUTES_API_KEY',
  )
  .addOption(BUCKETS)
  .option('--overwrite', "send it even if it replaces a validator's seal or attestation")
  .addHelpText(
    'after',
    '\nExample:\n  $ af commit --network finney --key k --model me/5F… --revision 1a --chute c',
  )
  .action(async ({ model, revision, chute, anyway, overwrite, ...options }) => {
    const account = await accountOf(options)
    const { hotkey } = account
    const fields = encodeCommitment({ kind: 'miner', model, revision, chute })
    if (decodeCommitment(fields, hotkey) === null) {
      const wanted = `a name that ends with the hotkey, ${hotkey}`
      throw new RangeError(`"model" expected ${wanted}, got ${JSON.stringify(model)}`)
    }
    await onChain(openLive, { firstEpoch: 0, ...options }, async (subnet, screen, signal) => {
      const { chain, network } = subnet
      const { seat } = await ownSeat(chain, hotkey)
      if (!overwrite) expectNothingOf('validator', seat)
      const what = { hotkey, model, revision, chute }
      const { templates } = network.protocol
      if (!anyway) await expectSkill({ ...what, templates }, network, { screen, signal })
      if (!emits(network, options)) {
        const text = `would commit ${shown(what)}: not sent without --emit`
        return screen.line(text, { type: 'withheld', ...what })
      }
      const { number } = await chain.commit(account, fields)
      const { commitments } = await chain.snapshot(number)
      const slot = commitments.find((each) => each.hotkey === hotkey)
      if (slot?.block !== number)
        throw new Error(`block ${number} should hold the commitment, but does not`)
      const committed = readSlot(slot)
      screen.line(`block ${number} has ${shown(committed.says)}`, {
        type: 'committed',
        ...committed,
      })
      await sayPlace(hotkey, subnet, { buckets: options.buckets, screen })
    })
  })

/**
 * Tries a miner as validators would, and says what its replies are worth. Only warns while the
 * model's files are private: they are needed once its turn comes.
 * @throws Error when it gives no usable reply, or no legal one in some environment; RangeError
 *   without a key where miners are on Chutes.
 */
async function expectSkill(
  miner: Asked,
  network: Network,
  { screen, signal }: { readonly screen: Output; readonly signal: AbortSignal },
): Promise<void> {
  agentsHere(network, () => {})
  screen.status('playing eight challenges of each environment')
  let isFit = true
  for await (const finding of checkAnswers(miner, network, signal)) {
    const { code, result } = finding
    // Files can still be made public before the miner's duel.
    const isPrivate = code === 'FILES_PRIVATE'
    sayFinding(isPrivate ? { ...finding, result: 'warn' } : finding, screen)
    isFit &&= isPrivate || (result !== 'fail' && code !== 'NOT_ASKED')
  }
  if (!isFit)
    throw new Error('not committed, for what is said above: only --anyway would commit it')
}

/**
 * Prints where a miner stands in the queue, and from when on it must be ready, if validators have a
 * state and it can be read.
 */
async function sayPlace(
  hotkey: string,
  subnet: Subnet,
  { buckets, screen }: Pick<ReplayOptions, 'buckets'> & { readonly screen: Output },
): Promise<void> {
  try {
    const { from: state } = await replayOf(subnet, { buckets, last: 1 })
    const { number } = await subnet.chain.head()
    const { rows } = queueIn(state, await subnet.chain.snapshot(number), subnet.network)
    const place = rows.find((row) => row.hotkey === hotkey)
    if (place === undefined) return
    const lines = [`${hotkey} ${place.why}`, ...readyText(place)]
    screen.line(lines.join('\n'), { type: 'place', ...place })
  } catch (error) {
    const { message } = error as Error
    const text = `its place in the queue is not known: ${message}`
    screen.line(text, { type: 'place', hotkey, message })
  }
}
