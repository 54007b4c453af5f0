import { type State, stateRoot } from '@affine/duel'
import {
  epochFacts,
  epochRecord,
  epochText,
  findingLine,
  type Line,
  type NameOf,
} from '@affine/report'
import type { Recomputed, Subnet } from '@affine/settlement'

/** Lines of the output: for people, and what `--json` prints instead. */
export type OutputLine = readonly [lines: string | readonly Line[], record: object]

/** The state that a run begins with, and how many copies of each block it compares. */
export function beginLine(
  { chain, network }: Subnet,
  from: State,
  { copies, names }: { readonly copies?: number; readonly names?: object },
): OutputLine {
  const [epoch, root] = [from.epoch, stateRoot(from)]
  const state = epoch === network.firstEpoch ? "the network's first state" : 'the attested state'
  const compared = copies === undefined ? '' : `, comparing at most ${copies} copies of each block`
  const { genesis, netuid } = chain
  return [
    `begins with epoch ${epoch} and ${state} ${root}${compared}`,
    { type: 'begin', epoch, root, genesis, netuid, copies: copies ?? 'all', names },
  ]
}

export const epochLine = (settled: Recomputed, nameOf: NameOf): OutputLine => [
  epochText(epochFacts(settled), nameOf),
  epochRecord(settled),
]

/** What does not hold in an epoch, then what is reported although no data is wrong. */
export function findingLines(
  { flaws, warnings }: Recomputed,
  nameOf: NameOf,
): readonly OutputLine[] {
  const all = [
    ...flaws.map((flaw) => ({ type: 'flaw', tone: 'bad', finding: flaw }) as const),
    ...warnings.map((finding) => ({ type: 'warning', tone: 'warning', finding }) as const),
  ]
  return all.map(({ type, tone, finding }) => [
    [findingLine(finding, tone, nameOf)],
    { type, ...finding },
  ])
}
