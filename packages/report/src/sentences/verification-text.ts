import type { ProofFileVerdict, RecomputedEpoch } from '@affine/settlement'
import {
  formatCount,
  type HotkeyFormatter,
  type Line,
  percent,
  printable,
  type Tone,
} from '../text.ts'
import type { Verification } from '../verification.ts'

export const formatFinding = (
  finding: RecomputedEpoch['flaws' | 'warnings'][number],
  tone: Tone,
  nameOf: HotkeyFormatter,
): Line => {
  const { epoch, validator, code, detail } = finding
  const sign = tone === 'bad' ? '✘' : '!'
  const texts = [nameOf(validator), code, printable(detail).replace(HOTKEY, nameOf)]
  return { text: `  ${sign} epoch ${epoch}, ${texts.join(': ')}`, tone }
}

const HOTKEY = /\b5[1-9A-HJ-NP-Za-km-z]{47}\b/g

/** Formats the result of a verification; the conclusion is last. */
export function formatVerification(end: Verification, nameOf: HotkeyFormatter): readonly Line[] {
  const { epoch, root, champion, ratio, suspect, warnings, conclusion } = end
  return [
    '',
    `champion   ${nameOf(champion)}`,
    `ratio      ${percent(ratio)}`,
    `state root ${root}, governing epoch ${epoch}`,
    ...formatVotes(end.votes, nameOf),
    ...Object.entries(suspect).map(
      ([hotkey, epochs]) =>
        `suspect    ${nameOf(hotkey)}: far from the other lanes in ${formatCount(epochs, 'epoch')}`,
    ),
    ...(warnings > 0 ? [`warnings   ${warnings}: a line with "!" is a warning, no failure`] : []),
    { text: formatConclusion(end), tone: conclusion === 'FLAWED' ? 'bad' : 'good' },
  ]
}

const NOT_COMPARED = 'Not compared: the other copies of each block (rerun without --copies).'

/** States whether everything is valid, and which copies were not compared. */
function formatConclusion({ flaws, conclusion }: Verification): string {
  if (conclusion === 'FLAWED') return `${formatCount(flaws, 'flaw')} found.`
  if (conclusion === 'HOLDS') return 'No problems found.'
  return `No problems in the copies compared. ${NOT_COMPARED}`
}

/** Formats how many validators give all their weight to the neuron that should receive it. */
function formatVotes(votes: Verification['votes'], nameOf: HotkeyFormatter): readonly string[] {
  if (votes === undefined) return []
  const { uid, validators, agreeing, others } = votes
  const given = `${agreeing} of ${validators} validators give uid ${uid} all their weight`
  const differing = others.map(
    ({ validator, detail }) => `; ${nameOf(validator)}: ${printable(detail)}`,
  )
  return [`weights    ${given}${differing.join('')}`]
}

export function formatProof({ result, read }: ProofFileVerdict, nameOf: HotkeyFormatter): Line {
  if (!result.ok) return { text: `✘ ${result.code}: ${printable(result.detail)}`, tone: 'bad' }
  const { validator = '', epoch, netuid, genesis } = read?.header ?? {}
  const { env, index, challengeId } = result.value
  const what = `${env}#${index}, challenge ${challengeId}, is in the lane that ${nameOf(validator)}`
  const text = `✔ ${what} sealed in epoch ${epoch} of netuid ${netuid}, genesis ${genesis}`
  return { text, tone: 'good' }
}
