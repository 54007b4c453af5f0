import { listEpisodes, type Sample } from '@affine/blocks'
import type { ProofEvidence } from './evidence.ts'

/** Parts of a proof. The page can change one byte of a part and show which steps fail. */
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

/** Flips one byte of each part. */
const FLIPS: Readonly<Record<Part, (evidence: ProofEvidence) => Partial<ProofEvidence>>> = {
  nothing: () => ({}),
  'a reply': ({ sample }) => ({ sample: flipReply(sample) }),
  'the secret': ({ secret }) => ({ secret: flipHex(secret) }),
  'the beacon': ({ beacon }) => ({ beacon: flipHex(beacon) }),
  // The path is empty for a block of one sample, so any hash is one too many.
  'the Merkle path': ({ path: [first, ...rest], sealed }) => ({
    path: [flipHex(first ?? sealed), ...rest],
  }),
  'the header': ({ header }) => ({ header: flipAt(header, header.indexOf('"time":') + 7) }),
  'the signature': ({ signature }) => ({ signature: flipHex(signature) }),
  'the head on chain': ({ sealed }) => ({ sealed: flipHex(sealed) }),
}

/** Returns the evidence with one byte of `part` changed. */
export const flipPart = (evidence: ProofEvidence, part: Part): ProofEvidence => {
  return { ...evidence, ...FLIPS[part](evidence) }
}

/**
 * Changes the last character of the last non-empty reply; in a game, the contender's if it gave
 * one.
 */
function flipReply(sample: string): string {
  const said = JSON.parse(sample) as Sample
  const messages = listEpisodes(said).flatMap((episode) => episode.messages)
  const reply = messages
    .reverse()
    .find(({ role, content }) => role === 'assistant' && content !== '')
  if (reply === undefined) return flipAt(sample, 1)
  Object.assign(reply, { content: flipAt(reply.content, reply.content.length - 1) })
  return JSON.stringify(said)
}

/** Changes the first decimal digit of hex. A changed letter might not be a hex digit. */
const flipHex = (hex: string): string => flipAt(hex, hex.search(/\d/))

/** Flips the lowest bit of one character. */
function flipAt(text: string, at: number): string {
  const code = text.charCodeAt(at)
  if (Number.isNaN(code)) return text
  return text.slice(0, at) + String.fromCharCode(code ^ 1) + text.slice(at + 1)
}
