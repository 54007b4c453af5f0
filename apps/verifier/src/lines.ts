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
import type { VerifyOptions } from './verify.ts'

/** Lines of the output: for people, and what `--json` prints instead. */
export type OutputLine = readonly [lines: string | readonly Line[], record: object]

/** The state that a run begins with, and how many copies of each block it compares. */
export function beginLine(
  { chain, network }: Subnet,
  from: State,
  { copies, names }: Pick<VerifyOptions, 'copies' | 'names'>,
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
export const findingLines = (
  { flaws, warnings }: Recomputed,
  nameOf: NameOf,
): readonly OutputLine[] => [
  ...flaws.map(
    (flaw): OutputLine => [[findingLine(flaw, 'bad', nameOf)], { type: 'flaw', ...flaw }],
  ),
  ...warnings.map(
    (warning): OutputLine => [
      [findingLine(warning, 'warning', nameOf)],
      { type: 'warning', ...warning },
    ],
  ),
]
