import { decodeCommitment, encodeCommitment, readSlot } from '@affine/chain'
import type { TargetMiner } from '@affine/miners'
import { formatReadiness, listQueue } from '@affine/report'
import { type Network, openLive, type Subnet } from '@affine/settlement'
import { formatValue, type Output, withChain } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { checkAnswers } from '../examination/examine.ts'
import { printFinding } from '../examination/findings.ts'
import { expectNoSlotOf, readOwnSeat } from '../examination/seat.ts'
import { createAccountCommand, readNamedAccount } from '../service/account.ts'
import { openClient } from '../service/agents.ts'
import { isSending } from '../settings/settings.ts'
import { BUCKETS, prepareReplay, type ReplayOptions } from './replay.ts'

const EXAMPLES = `  $ af commit --network finney --key k --model me/5F… --revision 1a --chute c`

export const commit: CommandUnknownOpts = createAccountCommand('commit', EXAMPLES)
  .requiredOption('--model <name>', "the model's name, which ends with the hotkey")
  .requiredOption('--revision <hash>', "the model's revision: a commit's hash")
  .requiredOption('--chute <id|url>', "the chute's id, or on a local network the endpoint's URL")
  .option('--emit', 'send the commitment; finney is a dry run without it')
  .option(
    '--anyway',
    'skip the trial of eight challenges of each environment, which needs a legal reply in each ' +
      'and, for a chute on Chutes, CHUTES_API_KEY',
  )
  .addOption(BUCKETS)
  .option('--overwrite', "replace a validator's seal or attestation")
  .action(async ({ model, revision, chute, anyway, overwrite, ...options }) => {
    const account = await readNamedAccount(options)
    const { hotkey } = account
    const fields = encodeCommitment({ kind: 'miner', model, revision, chute })
    if (decodeCommitment(fields, hotkey) === null) {
      const expectation = `a name that ends with the hotkey, ${hotkey}`
      throw new RangeError(`"model" expected ${expectation}, got ${JSON.stringify(model)}`)
    }
    await withChain(openLive, { firstEpoch: 0, ...options }, async (subnet, screen, signal) => {
      const { chain, network } = subnet
      const { seat } = await readOwnSeat(chain, hotkey)
      if (!overwrite) expectNoSlotOf('validator', seat)
      const what = { hotkey, model, revision, chute }
      const { templates } = network.protocol
      if (!anyway) await expectSkill({ ...what, templates }, network, { screen, signal })
      if (!isSending(network, options)) {
        const text = `would commit ${formatValue(what)}: a dry run without --emit`
        return screen.line(text, { type: 'withheld', ...what })
      }
      screen.wait('waiting for the block with the commitment')
      const { number } = await chain.commit(account, fields)
      const committed = readSlot({ hotkey, block: number, fields })
      const text = `block ${number} contains ${formatValue(committed.says)}`
      screen.line(text, { type: 'committed', ...committed })
      await printPlace(hotkey, subnet, { buckets: options.buckets, screen })
    })
  })

/**
 * Plays trial challenges with a miner as validators do, and prints the results. Only warns while
 * the model's files are private: they must be public when the miner's duel starts.
 * @throws Error if the miner may not be called, or gives no usable reply, or no legal reply in some
 *   environment; RangeError without a key for Chutes on a network whose miners are on Chutes.
 */
async function expectSkill(
  miner: TargetMiner,
  network: Network,
  { screen, signal }: { readonly screen: Output; readonly signal: AbortSignal },
): Promise<void> {
  openClient(network, miner, () => {})
  screen.wait('playing eight challenges of each environment')
  let isFit = true
  for await (const finding of checkAnswers(miner, network, signal)) {
    const { code, result } = finding
    const isPrivate = code === 'FILES_PRIVATE'
    printFinding(isPrivate ? { ...finding, result: 'warn' } : finding, screen)
    isFit &&= isPrivate || (result !== 'fail' && code !== 'NOT_ASKED')
  }
  if (!isFit) throw new Error('not committed: fix the failed checks, or use --anyway')
}

/**
 * Prints a miner's queue position, and when the miner must be ready. If no attested state can be
 * read, prints why the position is unknown.
 */
async function printPlace(
  hotkey: string,
  subnet: Subnet,
  { buckets, screen }: Pick<ReplayOptions, 'buckets'> & { readonly screen: Output },
): Promise<void> {
  try {
    const { from: state } = await prepareReplay(subnet, { buckets, last: 1 })
    const { number } = await subnet.chain.head()
    const rows = listQueue(state, await subnet.chain.snapshot(number), subnet.network)
    const place = rows.find((row) => row.hotkey === hotkey)
    if (place === undefined) return
    const lines = [`${hotkey} ${place.why}`, ...formatReadiness(place)]
    screen.line(lines.join('\n'), { type: 'place', ...place })
  } catch (error) {
    const { message } = error as Error
    const text = `the miner's queue position is unknown: ${message}`
    screen.line(text, { type: 'place', hotkey, message })
  }
}
