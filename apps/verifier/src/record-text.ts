import { normalise } from '@affine/envs'
import { share } from '@affine/report'
import { printable } from '@affine/terminal'
import type { OpenEnd } from './output-records.ts'
import type { BeginRecord, EndRecord, EpochRecord, NoteRecord } from './record.ts'

function beginText({ epoch, root, first, copies }: BeginRecord): string {
  const state = root === first ? "the network's first state" : `the attested state ${root}`
  const compared = copies === 'all' ? '' : `, comparing at most ${copies} copies of each block`
  return `begins with epoch ${epoch} and ${state}${compared}`
}

function noteText({ type, epoch, validator, code, detail }: NoteRecord): string {
  const sign = type === 'flaw' ? '✘' : '!'
  const said = [validator, code, detail].map((text) => printable(text))
  return `  ${sign} epoch ${epoch}, ${said.join(': ')}`
}

/** A line for people. The output of another run is untrusted, like the data of validators. */
export function lineText(line: BeginRecord | EpochRecord | NoteRecord): string {
  if (line.type === 'begin') return beginText(line)
  return line.type === 'epoch' ? normalise(line.text) : noteText(line)
}

/** A range of epochs: the first and the last. */
export type Epochs = readonly [first: number, last: number]

/** The end for people. In the epochs of `partly` not all copies were compared. */
export function endText(end: OpenEnd, partly: readonly Epochs[]): string {
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
  if (partly.length > 0) {
    const epochs = partly.map(([first, last]) => `${first} to ${last}`).join(', ')
    lines.push(`Not all copies of blocks were compared in epochs ${epochs}.`)
  }
  lines.push(verdictText(flaws, partly.length === 0))
  return lines.join('\n')
}

function verdictText(flaws: number, isAll: boolean): string {
  if (flaws > 0) return `Not everything holds: ${flaws} ✘ above.`
  if (isAll) return 'Everything holds.'
  return 'Everything that was compared holds. To compare all copies, run it without --copies.'
}

/** Which validators gave the champion all their weight at the end of the last epoch. */
function votesTexts(votes: EndRecord['votes']): readonly string[] {
  if (votes === undefined) return []
  const { uid, validators, agreeing, others } = votes
  const given = `${agreeing} of ${validators} validators give uid ${uid} all their weight`
  const differing = others.map(
    ({ validator, detail }) => `; ${printable(validator)}: ${printable(detail)}`,
  )
  return [`weights    ${given}${differing.join('')}`]
}
