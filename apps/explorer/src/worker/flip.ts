import { episodesIn, type Sample } from '@affine/blocks'
import type { ProofEvidence } from './proof-evidence.ts'

/** What of a proof a reader may change a byte of, to see which steps notice. */
export const PARTS = [
  'nothing',
  'a reply',
  'the secret',
  'the beacon',
  'the Merkle path',
  'the header',
  'the signature',
  'the head on chain',
] as const

export type Part = (typeof PARTS)[number]

/** The evidence with one byte of that part changed. */
export function flipIn(evidence: ProofEvidence, part: Part): ProofEvidence {
  const { sample, path, header } = evidence
  switch (part) {
    case 'nothing':
      return evidence
    case 'a reply':
      return { ...evidence, sample: flipReply(sample) }
    case 'the secret':
      return { ...evidence, secret: flipHex(evidence.secret) }
    case 'the beacon':
      return { ...evidence, beacon: flipHex(evidence.beacon) }
    case 'the Merkle path':
      return { ...evidence, path: path.map((hash, i) => (i === 0 ? flipHex(hash) : hash)) }
    case 'the header':
      return { ...evidence, header: flipAt(header, header.indexOf('"time":') + 7) }
    case 'the signature':
      return { ...evidence, signature: flipHex(evidence.signature) }
    case 'the head on chain':
      return { ...evidence, sealed: flipHex(evidence.sealed) }
  }
}

/** The last character of the last reply, in a game the contender's if it gave any. */
function flipReply(sample: string): string {
  const said = JSON.parse(sample) as Sample
  const messages = episodesIn(said).flatMap((episode) => episode.messages)
  const reply = messages.reverse().find(({ role }) => role === 'assistant')
  if (reply === undefined) return flipAt(sample, 1)
  Object.assign(reply, { content: flipAt(reply.content, reply.content.length - 1) })
  return JSON.stringify(said)
}

/** Hex with its first decimal digit changed: a letter might become what is no hex. */
const flipHex = (hex: string): string => flipAt(hex, hex.search(/\d/))

/** The text with the lowest bit of one character changed. */
function flipAt(text: string, at: number): string {
  const code = text.charCodeAt(at)
  if (Number.isNaN(code)) return text
  return text.slice(0, at) + String.fromCharCode(code ^ 1) + text.slice(at + 1)
}
