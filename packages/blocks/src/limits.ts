type Limit = 'headerBytes' | 'sampleBytes' | 'blockSamples' | 'blockBytes' | 'invocationBytes'

/** What a block may hold; its readers refuse more. Sizes of lines are without the line feed. */
export const LIMITS: Readonly<Record<Limit, number>> = Object.freeze({
  headerBytes: 1024,
  sampleBytes: 128 * 1024,
  blockSamples: 256,
  blockBytes: 8 * 1024 * 1024,
  invocationBytes: 128,
})
