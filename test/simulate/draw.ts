import { digest, type Generator, pcg64 } from '../../packages/prng/src/index.ts'

type Name = readonly (string | number)[]

/** Returns the random stream of a seed and a name. */
export const streamOf = (seed: number, ...name: Name): Generator =>
  pcg64(BigInt(`0x${digest('simulate', seed, ...name).slice(0, 32)}`))

/** Returns 32 bytes for a key, a secret or a block. */
export const bytesOf = (seed: number, ...name: Name): Buffer =>
  Buffer.from(digest('simulate bytes', seed, ...name), 'hex')

export const pick = <T>(values: readonly T[], random: Generator): T =>
  values[random.integers(0, values.length)]!

/** Returns an integer from 0 to `max` - 1. Small numbers are more frequent. */
export const fewOf = (max: number, random: Generator): number =>
  random.integers(0, 1 + random.integers(0, max))
