import type { Fault } from '@affine/envs'
import type { Hash, Result } from '@affine/prng'
import { type BlockFault, fault } from './fault.ts'
import { LIMITS } from './limits.ts'
import { anyText, type Check, hash, hotkey, integer, list, object, oneOf, printable, readLine } from './shape.ts'

/** For the contender. */
export type Outcome = 'win' | 'loss' | 'tie'

export interface EpisodeMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  /** The id that the platform gave the call. Of replies only, as is `ms`. */
  readonly invocation?: string
  /** How long the reply took. */
  readonly ms?: number
}

/** One miner's way through a challenge. With a `fault` it ends in a prompt that got no usable reply. */
export interface Episode {
  /** The miner's hotkey. */
  readonly miner: string
  readonly messages: readonly EpisodeMessage[]
  readonly reward: number
  readonly fault?: Fault
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
  readonly verdict: Outcome
}

const whole: Check = integer(0, Number.MAX_SAFE_INTEGER)

const prompt = object({ role: oneOf('user'), content: anyText })
const reply = object(
  { role: oneOf('assistant'), content: anyText },
  { invocation: printable(LIMITS.invocationBytes), ms: whole },
)
const message: Check = (value) => (prompt(value) === null ? null : reply(value))

const episode = object(
  {
    miner: hotkey,
    messages: list(message),
    reward: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    ms: whole,
  },
  { fault: oneOf('no-reply', 'oversize') },
)

const sample = object({
  env: printable(64),
  duel: hash,
  index: whole,
  challengeId: anyText,
  champion: episode,
  contender: episode,
  verdict: oneOf('win', 'loss', 'tie'),
})

/** A sample's line. Says only that the shape is a sample's, not that anything in it is true. Never throws. */
export function readSample(line: Uint8Array): Result<Sample, BlockFault> {
  const read = readLine(line, LIMITS.sampleBytes, sample, 'BAD_SAMPLE') as Result<Sample, BlockFault>
  if (!read.ok || /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(read.value.challengeId)) return read
  return fault('BAD_CHALLENGE_ID', 'challengeId: expected base58 of 32 bytes')
}
