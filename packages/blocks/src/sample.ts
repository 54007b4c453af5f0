import { isChallengeId, type Transcript } from '@affine/envs'
import type { Hash } from '@affine/prng'
import * as z from 'zod'
import { fault, type Read } from './fault.ts'
import { hash, hotkey, LIMITS, readLine, uint } from './line.ts'

/** One miner's way through a challenge. With a `fault` it ends in a prompt that got no usable reply. */
export interface Episode extends Transcript {
  /** The miner's hotkey. */
  readonly miner: string
  readonly ms: number
}

/** One challenge, played by both miners. */
export interface Sample {
  /** `name@semver` */
  readonly env: string
  readonly duel: Hash
  readonly index: number
  readonly challengeId: string
  readonly champion: Episode
  readonly contender: Episode
  /** For the contender. */
  readonly verdict: 'win' | 'loss' | 'tie'
}

/** What people will see of it is safe to print as it is. */
const printable = (most: number) => z.string().regex(new RegExp(`^[!-~]{1,${most}}$`))

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    invocation: printable(LIMITS.invocationBytes).exactOptional(),
    ms: uint().exactOptional(),
  }),
])

const episode = z.strictObject({
  miner: hotkey,
  messages: z.array(message),
  reward: z.int(),
  ms: uint(),
  fault: z.enum(['no-reply', 'oversize']).exactOptional(),
})

const sample = z.strictObject({
  env: printable(64),
  duel: hash,
  index: uint(),
  challengeId: z.string(),
  champion: episode,
  contender: episode,
  verdict: z.enum(['win', 'loss', 'tie']),
})

/** A sample's line. Says only that the shape is a sample's, not that anything in it is true. Never throws. */
export function readSample(line: Uint8Array): Read<Sample> {
  const read = readLine(line, LIMITS.sampleBytes, sample, 'BAD_SAMPLE')
  if (!read.ok || isChallengeId(read.value.challengeId)) return read
  return fault('BAD_CHALLENGE_ID', 'challengeId: expected base58 of 32 bytes')
}
