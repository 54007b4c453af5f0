import { firstState, stateRoot } from '@affine/duel'
import { epochFacts, epochRecord, epochText } from '@affine/report'
import type { Beginning, Recomputed, Subnet } from '@affine/settlement'
import type { Begin, CopiesCompared, End, Epoch, Note } from './record.ts'

/** An end before its digest is known. */
export type Ended = Omit<End, 'digest'>

/** What a run in this subnet begins with that compares so many copies. */
export function beginOf(
  { chain, network }: Subnet,
  { from, champions }: Beginning,
  copies: CopiesCompared,
): Begin {
  return {
    type: 'begin',
    genesis: chain.genesis,
    netuid: chain.netuid,
    first: stateRoot(firstState(network.protocol, network.firstEpoch)),
    epoch: from.epoch,
    root: stateRoot(from),
    champions: champions.map((hotkey) => hotkey ?? null),
    copies,
  }
}

export function epochOf(settled: Recomputed): Epoch {
  const { before, state, epoch } = settled
  const champion = before.champion?.hotkey ?? null
  const text = epochText(epochFacts(settled))
  return { ...epochRecord(settled), type: 'epoch', epoch, root: stateRoot(state), champion, text }
}

export const notesOf = ({ flaws, remarks }: Recomputed): readonly Note[] => [
  ...flaws.map((flaw): Note => ({ type: 'flaw', ...flaw })),
  ...remarks.map((remark): Note => ({ type: 'remark', ...remark })),
]

/** The end after one more epoch. */
export function endAfter(end: Ended | undefined, settled: Recomputed): Ended {
  const { state, flaws, remarks, votes, report } = settled
  const disagreed = { ...end?.disagreed }
  for (const [hotkey, { setAside }] of Object.entries(report.lanes)) {
    if (setAside.length > 0) disagreed[hotkey] = (disagreed[hotkey] ?? 0) + 1
  }
  return {
    type: 'end',
    epoch: state.epoch,
    root: stateRoot(state),
    champion: state.champion?.hotkey ?? 'none',
    ratio: state.ratio,
    votes,
    disagreed,
    remarks: (end?.remarks ?? 0) + remarks.length,
    flaws: (end?.flaws ?? 0) + flaws.length,
  }
}
