import { challengeId } from '../src/index.ts'

const HASH = '0'.repeat(64)
const LANE = { genesis: HASH, netuid: 1, specHash: HASH, validator: 'v', epoch: 0 }

/** Returns the id of an environment's challenge in an imaginary lane. */
export const idOf = (env: string, index: number): string =>
  challengeId({ ...LANE, env, beacon: HASH, secret: HASH, index })
