import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../../packages/blocks/src/index.ts'
import type { Generator as Random } from '../../packages/prng/src/index.ts'
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
  replaceItems,
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

/** Maximum number of parts of a case to try. */
const TRIES = 2000

/**
 * Resolves with a smallest part of a case that still differs. A part for which `differs` rejects
 * counts as equal.
 */
async function reduce(given: object, differs: (part: object) => Promise<boolean>): Promise<object> {
  let least = given
  let parts = partsOf(least)
  for (let tries = 0; tries < TRIES; tries++) {
    const { value, done } = parts.next()
    if (done) break
    if (!(await differs(value as object).catch(() => false))) continue
    least = value as object
    parts = partsOf(least)
  }
  return least
}

/** Yields a value without some elements of one of its lists, or characters of one of its texts. */
function* partsOf(value: unknown): Generator<unknown, undefined> {
  if (typeof value === 'string' || Array.isArray(value))
    for (let size = value.length; size > 0; size >>= 1)
      for (let at = 0; at < value.length; at += size)
        yield typeof value === 'string'
          ? value.slice(0, at) + value.slice(at + size)
          : replaceItems(value, at, size)
  if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value))
      for (const part of partsOf(each))
        yield Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: part })
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

/** Number of epochs of a simulated subnet, and number of simulated subnets per case. */
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
