import { decodeCommitment, type Neuron, type Snapshot } from '@affine/chain'
import { contentOf, genesis, queue as queueOf, type State } from '@affine/duel'
import { duelSnapshot, type Network, onChain, openChain, recompute } from '@affine/verifier'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { bucketsIn } from '../setup.ts'
import { readersState } from '../starting-state.ts'
import { type Rows, table } from './chain.ts'
import { replayCommand } from './options.ts'

const UNKNOWN = ', by their commitments alone: who had a duel is known with --buckets or --last'

/** `af queue`: which miner has the next duel. */
export const queue: CommandUnknownOpts = replayCommand('queue')
  .description('which miners wait for a duel, the next first, and why the others do not')
  .addHelpText(
    'after',
    '\nExample:\n  $ af queue --network http://127.0.0.1:9944 --buckets buckets',
  )
  .action(({ buckets, last, ...options }) =>
    onChain(openChain, options, async ({ chain, network }, screen) => {
      const known = (buckets ?? last) !== undefined
      const asked = { chain, network, openBucket: bucketsIn(buckets, network), compare: false }
      let state = known
        ? await readersState(asked, last)
        : genesis(network.protocol, network.firstEpoch)
      if (known)
        for await (const settled of recompute({ ...asked, from: state })) state = settled.state
      const snapshot = await chain.snapshot((await chain.head()).number)
      const { waiting, rows } = placesIn(state, snapshot, network)
      const title = `block ${snapshot.head.number}: ${waiting.length} waiting${known ? '' : UNKNOWN}`
      table(screen, title, { type: 'queue', block: snapshot.head.number, waiting, known }, rows)
    }),
  )

/**
 * The hotkeys that wait, the next first; and in this order every neuron: its place among them, or
 * why it has none.
 */
export function placesIn(
  state: State,
  snapshot: Snapshot,
  { protocol }: Network,
): { waiting: string[]; rows: Rows } {
  const waiting = queueOf(state, duelSnapshot(snapshot, state.epoch, protocol)).map(
    ({ hotkey }) => hotkey,
  )
  const rows = snapshot.neurons.map(({ uid, hotkey, permit }) => {
    const place = waiting.indexOf(hotkey) + 1 || undefined
    const why = place
      ? `waits, the ${place}. of ${waiting.length}`
      : reason({ hotkey, permit }, snapshot, state)
    return { place, uid, hotkey, block: slotOf(snapshot, hotkey)?.block, why }
  })
  return {
    waiting,
    rows: rows.sort((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || a.uid - b.uid),
  }
}

const slotOf = ({ commitments }: Snapshot, hotkey: string) =>
  commitments.find((slot) => slot.hotkey === hotkey)

/** Why a neuron is not in the queue. */
function reason(
  { hotkey, permit }: Pick<Neuron, 'hotkey' | 'permit'>,
  snapshot: Snapshot,
  { champion, duel }: State,
) {
  const fields = slotOf(snapshot, hotkey)?.fields
  const said = fields && decodeCommitment(fields, hotkey)
  const content = said?.kind === 'miner' && contentOf({ ...said, hotkey })
  if (champion && contentOf(champion) === content) return 'is the champion'
  if (duel && contentOf(duel.contender) === content) return 'is the contender'
  if (permit) return 'holds a permit'
  if (!fields) return 'has committed nothing'
  if (content) return 'had its duel with this commitment'
  if (said) return `has a validator's commitment: ${said.kind}`
  // Every model contains an empty hotkey.
  return decodeCommitment(fields, '')
    ? 'its model does not contain its hotkey'
    : 'has no valid commitment'
}
