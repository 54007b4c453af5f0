import { type State, stateRoot } from '@affine/duel'
import { epochFacts, epochRecord, epochText, share } from '@affine/report'
import type { Recomputed, Subnet, Waits } from '@affine/settlement'
import { printable } from '@affine/terminal'

/** A line of the output: for people, and what `--json` prints instead. */
export type OutputLine = readonly [text: string, record: object]

/** The state that a run begins with, and how many copies of each block it compares. */
export function beginLine({ chain, network }: Subnet, from: State, copies?: number): OutputLine {
  const [epoch, root] = [from.epoch, stateRoot(from)]
  const state = epoch === network.firstEpoch ? "the network's first state" : 'the attested state'
  const compared = copies === undefined ? '' : `, comparing at most ${copies} copies of each block`
  const { genesis, netuid } = chain
  return [
    `begins with epoch ${epoch} and ${state} ${root}${compared}`,
    { type: 'begin', epoch, root, genesis, netuid, copies: copies ?? 'all' },
  ]
}

export const epochLine = (settled: Recomputed): OutputLine => [
  epochText(epochFacts(settled)),
  epochRecord(settled),
]

/** What does not hold in an epoch, then what is reported although no data is wrong. */
export const noteLines = ({ flaws, warnings }: Recomputed): readonly OutputLine[] => [
  ...flaws.map((flaw): OutputLine => [noteText('✘', flaw), { type: 'flaw', ...flaw }]),
  ...warnings.map(
    (warning): OutputLine => [noteText('!', warning), { type: 'warning', ...warning }],
  ),
]

function noteText(sign: string, note: Recomputed['flaws' | 'warnings'][number]): string {
  const said = [note.validator, note.code, note.detail].map((text) => printable(text))
  return `  ${sign} epoch ${note.epoch}, ${said.join(': ')}`
}

/** What a run came to. */
export interface EndRecord {
  readonly type: 'end'
  /** The epoch that comes next, and the root of the state that governs it. */
  readonly epoch: number
  readonly root: string
  /** A hotkey, or "none". */
  readonly champion: string
  readonly ratio: number
  /** Of the last epoch. */
  readonly votes: Recomputed['votes']
  /** For each validator: in how many epochs it was set aside. */
  readonly disagreed: Readonly<Record<string, number>>
  readonly warnings: number
  readonly flaws: number
}

/** The end of a run after one more epoch. */
export function endAfter(before: EndRecord | undefined, settled: Recomputed): EndRecord {
  const { state, flaws, warnings, votes, report } = settled
  const disagreed = { ...before?.disagreed }
  const looks = report.duels.flatMap(({ envs }) => Object.values(envs))
  for (const hotkey of new Set(looks.flatMap(({ setAside }) => setAside)))
    disagreed[hotkey] = (disagreed[hotkey] ?? 0) + 1
  return {
    type: 'end',
    epoch: state.epoch,
    root: stateRoot(state),
    champion: state.champion?.hotkey ?? 'none',
    ratio: state.ratio,
    votes,
    disagreed,
    warnings: (before?.warnings ?? 0) + warnings.length,
    flaws: (before?.flaws ?? 0) + flaws.length,
  }
}

/** The end. `isAll`: all copies of blocks were compared. */
export function endLine(end: EndRecord, isAll: boolean): OutputLine {
  const { epoch, root, champion, ratio, disagreed, warnings, flaws } = end
  const lines = [
    '',
    `champion   ${printable(champion)}`,
    `ratio      ${share(ratio)}`,
    `state root ${root}, governing epoch ${epoch}`,
    ...votesTexts(end.votes),
  ]
  for (const [hotkey, epochs] of Object.entries(disagreed)) {
    lines.push(`${printable(hotkey)}: its samples disagreed with the others' in ${epochs} epochs`)
  }
  if (warnings === 1) lines.push('1 line with "!" above: reported, but not a failure.')
  if (warnings > 1) lines.push(`${warnings} lines with "!" above: reported, but not failures.`)
  if (!isAll) lines.push('Not all copies of blocks were compared.')
  lines.push(verdictText(flaws, isAll))
  return [lines.join('\n'), end]
}

function verdictText(flaws: number, isAll: boolean): string {
  if (flaws > 0) return `Not everything holds: ${flaws} ✘ above.`
  if (isAll) return 'Everything holds.'
  return 'Everything that was compared holds. To compare all copies, run it without --copies.'
}

/** Which validators gave all their weight where it is due at the end of the last epoch. */
function votesTexts(votes: EndRecord['votes']): readonly string[] {
  if (votes === undefined) return []
  const { uid, validators, agreeing, others } = votes
  const given = `${agreeing} of ${validators} validators give uid ${uid} all their weight`
  const differing = others.map(
    ({ validator, detail }) => `; ${printable(validator)}: ${printable(detail)}`,
  )
  return [`weights    ${given}${differing.join('')}`]
}

/** Waits that are shorter are not worth a word: a busy reader is late itself. */
const LEAST_MS = 10_000
const MOST_NAMED = 8

/** For whose buckets a run waited, the longest waits first; undefined if for nobody's. */
export function waitsText(waits: Waits): string | undefined {
  const slow = [...waits].filter(([, ms]) => ms >= LEAST_MS).sort(([, a], [, b]) => b - a)
  if (slow.length === 0) return undefined
  const named = slow.slice(0, MOST_NAMED)
  const texts = named.map(([hotkey, ms]) => `${Math.round(ms / 1000)} s for that of ${hotkey}`)
  if (slow.length > named.length) texts.push(`less for ${slow.length - named.length} more`)
  return `Waited for slow buckets: ${texts.join(', ')}. Up to 90 s each is no failure`
}
