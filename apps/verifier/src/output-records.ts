import { ratioToBeat, stateRoot } from '@affine/duel'
import { epochFacts, epochRecord, epochText } from '@affine/report'
import { type Beginning, firstStateOf, type Recomputed, type Subnet } from '@affine/settlement'
import type { BeginRecord, EndRecord, EpochRecord, NoteRecord } from './record.ts'

/** An end before its digest is known. */
export type OpenEnd = Omit<EndRecord, 'digest'>

/** The first line of a run in this subnet that compares this many copies. */
export function beginOf(
  { chain, network }: Subnet,
  { from, champions }: Beginning,
  copies: BeginRecord['copies'],
): BeginRecord {
  return {
    type: 'begin',
    genesis: chain.genesis,
    netuid: chain.netuid,
    first: stateRoot(firstStateOf(network)),
    epoch: from.epoch,
    root: stateRoot(from),
    champions: champions.map((hotkey) => hotkey ?? null),
    copies,
  }
}

export function epochOf(settled: Recomputed): EpochRecord {
  const { before, state, epoch } = settled
  const champion = before.champion?.hotkey ?? null
  const text = epochText(epochFacts(settled))
  return { ...epochRecord(settled), type: 'epoch', epoch, root: stateRoot(state), champion, text }
}

export const notesOf = ({ flaws, warnings }: Recomputed): readonly NoteRecord[] => [
  ...flaws.map((flaw) => ({ type: 'flaw' as const, ...flaw })),
  ...warnings.map((warning) => ({ type: 'warning' as const, ...warning })),
]

/** The end of a run after one more epoch. */
export function endAfter(before: OpenEnd | undefined, settled: Recomputed): OpenEnd {
  const end = endOf(settled)
  return before ? joinEnds(before, end) : end
}

/** The end of a run of this epoch alone. */
function endOf({ state, flaws, warnings, votes, report }: Recomputed): OpenEnd {
  const lanes = Object.entries(report.lanes).filter(([, { setAside }]) => setAside.length > 0)
  return {
    type: 'end',
    epoch: state.epoch,
    root: stateRoot(state),
    champion: state.champion?.hotkey ?? 'none',
    ratio: ratioToBeat(state),
    votes,
    disagreed: Object.fromEntries(lanes.map(([hotkey]) => [hotkey, 1])),
    warnings: warnings.length,
    flaws: flaws.length,
  }
}

/** The end of two runs, the one after the other. */
export function joinEnds(first: OpenEnd, last: OpenEnd): OpenEnd {
  const disagreed = { ...first.disagreed }
  for (const [hotkey, epochs] of Object.entries(last.disagreed))
    disagreed[hotkey] = (disagreed[hotkey] ?? 0) + epochs
  const [warnings, flaws] = [first.warnings + last.warnings, first.flaws + last.flaws]
  return { ...last, disagreed, warnings, flaws }
}
