import { normalise } from '@affine/envs'
import { printable, share } from '@affine/terminal'
import type { Begin, End, Epoch, Note } from './record.ts'

function beginText({ epoch, root, first }: Begin): string {
  const state = root === first ? "the network's first state" : `the attested state ${root}`
  return `begins with epoch ${epoch} and ${state}`
}

function noteText({ type, epoch, validator, code, detail }: Note): string {
  const sign = type === 'flaw' ? '✘' : '!'
  const said = [validator, code, detail].map((text) => printable(text))
  return `  ${sign} epoch ${epoch}, ${said.join(': ')}`
}

/** A line for people. What another run wrote is as untrusted as what validators did. */
export function lineText(line: Begin | Epoch | Note): string {
  if (line.type === 'begin') return beginText(line)
  return line.type === 'epoch' ? normalise(line.text) : noteText(line)
}

export function endText(end: Omit<End, 'digest'>): string {
  const { epoch, root, champion, ratio, disagreed, remarks, flaws } = end
  const lines = [
    '',
    `champion   ${printable(champion)}`,
    `ratio      ${share(ratio)}`,
    `state root ${root}, governing epoch ${epoch}`,
    ...votesTexts(end.votes),
  ]
  for (const [hotkey, epochs] of Object.entries(disagreed)) {
    lines.push(
      `${printable(hotkey)}: its samples did not agree with the others' in ${epochs} epochs`,
    )
  }
  if (remarks > 0) lines.push(`${remarks} ! in the epochs: reported, and no failure.`)
  lines.push(flaws === 0 ? 'Everything holds.' : `Not everything holds: ${flaws} ✘ above.`)
  return lines.join('\n')
}

/** Whom the weights go to at the end of the last epoch. */
function votesTexts(votes: End['votes']): readonly string[] {
  if (votes === undefined) return []
  const { uid, validators, agreeing, others } = votes
  const given = `${agreeing} of ${validators} validators give uid ${uid} all their weight`
  const differing = others.map(
    ({ validator, detail }) => `; ${printable(validator)}: ${printable(detail)}`,
  )
  return [`weights    ${given}${differing.join('')}`]
}
