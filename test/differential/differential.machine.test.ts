import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../../packages/blocks/src/index.ts'
import type { Generator as Random } from '../../packages/prng/src/index.ts'
import { streamOf } from '../simulate/draw.ts'
import { drawFaults } from '../simulate/faults.ts'
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

const PYTHON = process.env.TEST_PYTHON ?? 'python3'
const SCRIPT = fileURLToPath(new URL('../../python/tests/differential.py', import.meta.url))

/**
 * A process of python/tests/differential.py, which answers one case at a time. It limits the
 * samples of a block like this process.
 */
class Python implements AsyncDisposable {
  readonly #child = spawn(PYTHON, [SCRIPT, `${LIMITS.blockSamples}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  readonly #closed = once(this.#child, 'close')
  readonly #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()

  /** Resolves with what the verifier in Python finds in a case. */
  async ask(kind: string, given: object): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify({ kind, ...given })}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`${PYTHON} ${SCRIPT} ended in a case of ${kind}`)
    return JSON.parse(value)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end()
    await this.#closed
  }
}

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
  Record<string, readonly [share: number, draw: (random: Random) => Case | Promise<Case>]>
> = {
  reply: [0.3, drawReply],
  slot: [0.2, drawSlot],
  lane: [0.3, (random) => drawLane(lanes, random)],
  proof: [0.15, (random) => drawProof(proofs, random)],
  roots: [0.05, drawNetwork],
}

/** Maximum number of characters of a case in a failure. */
const MOST_SHOWN = 10_000

test.each(Object.entries(KINDS))(
  'TypeScript and Python agree: %s',
  async (kind, [share, draw]) => {
    await using python = new Python()
    let accepted = 0
    for (let seed = SEED; seed < SEED + share * CASES; seed++) {
      const { given, found } = await draw(streamOf(seed, kind))
      const theirs = await python.ask(kind, given)
      const text = `SEED=${seed}, in ${JSON.stringify(given).slice(0, MOST_SHOWN)}`
      expect(theirs, text).toEqual(found)
      accepted += Number(found !== null)
    }
    expect(accepted).toBeGreaterThan(0)
  },
  600_000 + 1000 * CASES,
)

/** Number of epochs of a simulated subnet, and number of simulated subnets per case. */
const PLAYED = 4
const HISTORIES = 0.001

test(
  'TypeScript and Python agree on the histories of simulated subnets',
  async () => {
    await using python = new Python()
    for (let seed = SEED; seed < SEED + HISTORIES * CASES; seed++) {
      const world = drawWorld(seed, PLAYED)
      const faults = drawFaults(world, streamOf(seed, 'faults'))
      const { given, found } = await playSubnet(world, faults, join(folder, `${seed}`))
      expect(await python.ask('history', given), `SEED=${seed}`).toEqual(found)
    }
  },
  600_000 + 1000 * CASES,
)
