import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../../packages/blocks/src/index.ts'
import type { Generator } from '../../packages/prng/src/index.ts'
import { streamOf } from '../simulate/draw.ts'
import { drawFaults, type Fault } from '../simulate/faults.ts'
import { shrink } from '../simulate/shrink.ts'
import { drawWorld } from '../simulate/world.ts'
import { testFolder } from '../test-folder.ts'
import {
  BLOCK_SAMPLES,
  type Case,
  drawLane,
  drawProof,
  drawReply,
  drawSlot,
  makeProofs,
  playLanes,
} from './cases.ts'
import { drawNetwork, playSubnet } from './networks.ts'
import { Python } from './python.ts'
import { reduce } from './reduce.ts'

/** The first seed, and the number of cases of all kinds. */
const SEED = Number(process.env.SEED ?? 0)
const CASES = Number(process.env.CASES ?? 500)

const { blockSamples } = LIMITS
beforeAll(() => void Object.assign(LIMITS, { blockSamples: BLOCK_SAMPLES }))
afterAll(() => void Object.assign(LIMITS, { blockSamples }))

const folder = testFolder('differential')
const lanes = await playLanes()
const proofs = makeProofs(lanes)

/** The kinds of python/tests/differential.py, each with its share of the cases. */
const KINDS: Readonly<
  Record<string, readonly [share: number, draw: (random: Generator) => Case | Promise<Case>]>
> = {
  reply: [0.3, drawReply],
  slot: [0.2, drawSlot],
  lane: [0.3, (random) => drawLane(lanes, random)],
  proof: [0.15, (random) => drawProof(proofs, random)],
  roots: [0.05, drawNetwork],
}

test.each(Object.entries(KINDS))(
  'TypeScript and Python agree: %s',
  async (kind, [share, draw]) => {
    await using python = new Python()
    let accepted = 0
    for (let seed = SEED; seed < SEED + share * CASES; seed++) {
      const { given, find, ...drawn } = await draw(streamOf(seed, kind))
      const found = await drawn.found
      const theirs = await python.ask(kind, given)
      if (!isDeepStrictEqual(theirs, found)) {
        const differs = async (part: object) =>
          !isDeepStrictEqual(await python.ask(kind, part), await find?.(part))
        const least = find ? await reduce(given, differs) : given
        const text = `SEED=${seed}${find ? `, in ${JSON.stringify(least)}` : ''}`
        expect(await python.ask(kind, least), text).toEqual(find ? await find(least) : found)
      }
      accepted += Number(found !== null)
    }
    expect(accepted).toBeGreaterThan(0)
  },
  600_000 + 1000 * CASES,
)

/** Number of epochs of a simulated subnet, and number of such histories per case. */
const PLAYED = 4
const HISTORIES = 0.001

test(
  'TypeScript and Python agree on the histories of simulated subnets',
  async () => {
    await using python = new Python()
    for (let seed = SEED; seed < SEED + HISTORIES * CASES; seed++) {
      const world = drawWorld(seed, PLAYED)
      let plays = 0
      const compare = async (faults: readonly Fault[]) => {
        const { given, found } = await playSubnet(world, faults, join(folder, `${seed}-${plays++}`))
        return { theirs: await python.ask('history', given), found }
      }
      const differs = async (faults: readonly Fault[]): Promise<boolean> => {
        const { theirs, found } = await compare(faults)
        return !isDeepStrictEqual(theirs, found)
      }
      const faults = drawFaults(world, streamOf(seed, 'faults'))
      if (!(await differs(faults))) continue
      const least = await shrink(faults, differs)
      const { theirs, found } = await compare(least)
      expect(theirs, `SEED=${seed}, with the faults ${JSON.stringify(least)}`).toEqual(found)
    }
  },
  600_000 + 1000 * CASES,
)
