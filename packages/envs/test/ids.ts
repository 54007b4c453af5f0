import { challengeId } from '../src/index.ts'

const HASH = '0'.repeat(64)
const LANE = { genesis: HASH, netuid: 1, specHash: HASH, validator: 'v', epoch: 0 }

/** The id of an environment's challenge in a lane that is nobody's. */
export const idOf = (env: string, index: number): string =>
  challengeId({ ...LANE, env, beacon: HASH, secret: HASH, index })
