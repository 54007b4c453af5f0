import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Block, blockPath, readBlock, statePath } from '@affine/blocks'
import { verify } from '@affine/chain'
import { canonicalize, digest, type Json, pcg64 } from '@affine/prng'
import type { RecomputedEpoch } from '@affine/settlement'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AF_VERIFY, killAll, type ProcessResult, run } from '../../../test/processes.ts'
import { type RunningSubnet, type Seat, STEADY, startSubnet } from './running-subnet.ts'

const SEED = process.env.KILL_SEED ?? String(Date.now())
/** Number of blocks to wait for most causes of death. A disk operation gets twice as many. */
const LIFE = 30

let subnet: RunningSubnet
let victims: readonly Seat[]
let epochs: readonly RecomputedEpoch[]
let file: string
let second: ProcessResult
/** Number of deaths by the activity of the process. */
const deaths = new Map<string, number>()
/** Violations, with their place. */
const wrong: string[] = []
/** Epochs in which a validator died during sampling, by validator. */
const brokenOff = new Map<Seat, Set<number>>()

/** Files of a validator, and the approximate number of operations on them in one life. */
const PLACES = [
  ['/journal/', 20],
  ['/secrets', 9],
  ['/v1/blocks', 30],
  ['/v1/states', 18],
  ['/lock', 1],
] as const

/** Causes of death: a disk operation, a time, samples in the journal, an output, or blocks. */
const WAYS = ['disk', 'disk', 'disk', 'time', 'samples', 'words', 'blocks'] as const
interface Way {
  readonly by: (typeof WAYS)[number]
  readonly place?: (typeof PLACES)[number] | undefined
  readonly words?: RegExp | undefined
  /** Whether the validator stays dead until the epoch ends. */
  readonly isDeadForLong?: boolean
}
const [SEALED, ATTESTED] = [/"kind":"seal"[^}]*\},"block"/, /"kind":"attest"[^}]*\},"block"/]
const WORDS = [SEALED, ATTESTED, /"type":"epoch"/]
/** The causes of the first deaths. The causes of later deaths are random. */
const FIRST: Way[] = [
  { by: 'words', words: SEALED, isDeadForLong: true },
  { by: 'time' },
  { by: 'samples' },
  { by: 'disk', place: PLACES[4] },
  { by: 'disk', place: PLACES[0] },
  { by: 'words', words: ATTESTED },
  { by: 'disk', place: PLACES[2] },
  { by: 'samples' },
  { by: 'disk', place: PLACES[1] },
]
const KILLS = Number(process.env.KILLS ?? FIRST.length)

type Random = ReturnType<typeof pcg64>

/** Returns the complete lines of a validator's `newest` newest journals, by file. */
async function journalsOf({ folder }: Seat, newest = 2): Promise<Map<string, string>> {
  const place = join(folder, 'journal')
  const names = await readdir(place).catch(() => [])
  const read = async (name: string) => {
    const text = await readFile(join(place, name), 'utf8')
    return [name, text.slice(0, text.lastIndexOf('\n') + 1)] as const
  }
  const sorted = names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  return new Map(await Promise.all(sorted.slice(-newest).map(read)))
}

/** Returns the length of the complete lines of a validator's newest journal. */
async function lengthOf(seat: Seat): Promise<number> {
  const [newest = ''] = (await journalsOf(seat, 1)).values()
  return newest.length
}

/**
 * Returns the activity of a process at its death: the place of the disk operation that killed it,
 * starting, or the first or second phase of an epoch.
 */
function doing({ stdout, stderr }: ProcessResult): string {
  const [, fault, path = ''] = /^(KILL|CUT) at \w+ (.*)$/m.exec(stderr) ?? []
  if (fault !== undefined)
    return `${fault} at ${PLACES.find(([place]) => path.includes(place))?.[0]}`
  if (!stdout.includes('"started"')) return 'starting'
  return subnet.at().offset < 20 ? 'in the first phase' : 'in the second phase'
}

/** Returns output that not even a killed process may print, and any exit without a kill. */
function problemsIn({ code, stdout, stderr }: ProcessResult): readonly string[] {
  const lines = stdout.split('\n').filter((line) => /altered|secret|other bytes|Error/.test(line))
  return code === null ? lines : [...lines, `ended with ${code}: ${stderr}`]
}

/** Resolves once `done` returns true, or after `blocks` blocks. */
async function within(blocks: number, done: () => boolean | Promise<boolean>): Promise<void> {
  const last = subnet.height() + blocks
  while (!(await done()) && subnet.height() < last) await sleep(5)
}

/** Starts a validator's process and kills it. Resolves with the result of the process. */
async function runUntilDeath(
  seat: Seat,
  random: Random,
  planned = FIRST.shift(),
): Promise<ProcessResult> {
  const draw = (most: number) => Number(random.integers(0, most))
  const oneOf = <T>(some: readonly T[]) => some[draw(some.length)] as T
  const { by, place = oneOf(PLACES), words = oneOf(WORDS) } = planned ?? { by: oneOf(WAYS) }
  const soon = planned === undefined ? 1 : 8 // a planned death comes early in a life
  const memory = `${seat.folder}-unsynced`
  // Only a death in a disk operation records what was not synced. An older record would be wrong.
  if (by !== 'disk') await rm(memory, { force: true })
  const [path, most] = place
  const from = 1 + draw(Math.ceil(most / soon))
  const fault = { path, from, fault: oneOf(['KILL', 'CUT']), memory }
  const process = seat.validate(by === 'disk' ? fault : undefined)
  let dead = false
  void process.ended.then(() => {
    dead = true
  })
  const hasPrinted = (pattern: RegExp) => () => dead || pattern.test(process.stdout())
  if (by === 'disk') await within(2 * LIFE, () => dead)
  if (by === 'time') await sleep(draw(1000 / soon))
  if (by === 'samples') {
    const before = await lengthOf(seat)
    const more = draw(80_000 / soon)
    await within(LIFE, async () => dead || (await lengthOf(seat)) > before + more)
  }
  const isSure = planned?.isDeadForLong === true
  if (by === 'words') await within(isSure ? Number.POSITIVE_INFINITY : LIFE, hasPrinted(words))
  if (by === 'blocks') await within(LIFE, hasPrinted(/"type":"started"/))
  if (by === 'blocks') await within(draw(20), () => dead)
  if (by !== 'disk' && by !== 'time') await sleep(draw(40))
  const ended = await process.stop('SIGKILL')
  if (isSure) await subnet.reaches(subnet.at().epoch + 1)
  return ended
}

/**
 * Kills a validator's process repeatedly, concurrently with the others, until there were enough
 * deaths.
 */
async function killRepeatedly(seat: Seat, random: Random): Promise<void> {
  let previous = new Map<string, string>()
  brokenOff.set(seat, new Set())
  const die = async (planned?: Way): Promise<void> => {
    const ended = await runUntilDeath(seat, random, planned)
    const what = doing(ended)
    deaths.set(what, (deaths.get(what) ?? 0) + 1)
    wrong.push(...problemsIn(ended))
    const now = await journalsOf(seat)
    for (const [name, text] of now) {
      const [epoch, samples] = [Number.parseInt(name, 10), text.split('\n').length - 2]
      if (samples > 0 && !seat.seals.has(epoch)) brokenOff.get(seat)?.add(epoch)
      // Journal lines stay at their place for ever, except unsynced lines that a power cut
      // removes.
      if (!what.startsWith('CUT') && !text.startsWith(previous.get(name) ?? ''))
        wrong.push(`${name}: ${what}`)
    }
    previous = now
  }
  const all = () => [...deaths.values()].reduce((sum, count) => sum + count, 0)
  while (all() < KILLS) await die()
  // On a slow machine, perhaps no interrupted lane has been sealed yet.
  for (let more = 0; more < 10 && !victims.some(survivals); more++) {
    await die({ by: 'samples' })
    await die({ by: 'words', words: SEALED })
  }
  while (!deaths.has('in the second phase')) await die({ by: 'blocks' })
}

/** Returns the number of lanes that a validator sealed although it died during sampling. */
const survivals = (seat: Seat): number =>
  [...(brokenOff.get(seat) ?? [])].filter((epoch) => seat.seals.has(epoch)).length

beforeAll(async () => {
  const miners = 40 + KILLS / 5 // one for each epoch that there may be
  subnet = await startSubnet(SEED, miners)
  // These validators are never killed and suffice for a majority and a verdict.
  const steady = subnet.seats.slice(0, STEADY).map((seat) => seat.validate())
  victims = subnet.seats.slice(STEADY)
  const randomOf = (i: number) => pcg64(BigInt(`0x${digest('kill', SEED, i).slice(0, 32)}`))
  await Promise.all(victims.map((seat, i) => killRepeatedly(seat, randomOf(i))))
  const last = victims.map((seat) => seat.validate())
  await last[0]?.says(/"type":"started"/)
  second = await (victims[0] as Seat).validate().ended
  // Two more epochs, the first without kills.
  const { epoch } = subnet.at()
  await subnet.reaches(epoch + 3, 5)
  const known = () => victims.every(({ folder }) => existsSync(join(folder, statePath(epoch + 3))))
  while (!known()) await sleep(50)
  await Promise.all([...steady, ...last].map((process) => process.stop()))
  ;({ epochs, file } = await subnet.end())
  if (process.env.KILLS)
    console.info(SEED, epochs.length, Object.fromEntries(deaths), victims.map(survivals))
}, 3_600_000) // a busy machine takes long over so many deaths
afterAll(async () => {
  await killAll()
  await subnet?.[Symbol.asyncDispose]()
})

/** Returns the complete files of a folder. */
const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => !name.startsWith('.'))

/**
 * Returns the blocks in the store of a validator, and its own blocks in its bucket, sealed or not.
 */
async function blocksOf({ account, folder, bucket }: Seat): Promise<readonly Block[]> {
  const read = async (place: string): Promise<readonly Block[]> => {
    const names = await filesIn(join(place, 'v1/blocks'))
    const blocks = names.map(async (name) => {
      const hash = name.replace('.jsonl', '')
      const block = readBlock(await readFile(join(place, blockPath(hash))), { hash, verify })
      if (!block.ok) throw new Error(`${place}, ${name}: ${block.code}: ${block.detail}`)
      return block.value
    })
    return (await Promise.all(blocks)).filter(({ header }) => header.validator === account.hotkey)
  }
  return [...(await read(folder)), ...(await read(bucket))]
}

describe(`validators that are killed ${KILLS} times at any moment and started again, seed ${SEED}`, () => {
  it('died at the start, in both phases of an epoch, and in disk operations', () => {
    const all = [...deaths.keys()]
    for (const what of ['starting', 'in the first phase', 'in the second phase'])
      expect(all).toContain(what)
    expect(all.filter((what) => /^(KILL|CUT) at /.test(what)).length, all.join()).toBeGreaterThan(2)
  })

  it('reject a second process on their folder', () => {
    expect(second.code).toBe(4)
    expect(second.stderr).toMatch(/^af: .*validator-\d is in use by another process: stop it .*\n$/)
  })

  it('lose no journalled sample: each is in the journal and in the sealed lane', async () => {
    expect(wrong).toEqual([])
    for (const seat of victims) {
      const blocks = await blocksOf(seat)
      const journals = await journalsOf(seat, Number.POSITIVE_INFINITY)
      for (const epoch of seat.seals.keys()) {
        const lines = (journals.get(`${epoch}.jsonl`) ?? '').split('\n').slice(1, -1)
        const own = blocks.filter(({ header }) => header.epoch === epoch)
        const samples = own.flatMap(({ samples }) => samples as readonly unknown[])
        const inLane = samples.map((sample) => canonicalize(sample as Json))
        const journalled = lines.map((line) => line.replace(/^.*?"sample":(.*)\}$/, '$1'))
        expect(journalled.sort(), `epoch ${epoch}`).toEqual([...new Set(inLane)].sort())
      }
    }
    expect(victims.some(survivals)).toBe(true)
  })

  it('sign one block at each height, and seal one head in each epoch', async () => {
    for (const seat of victims) {
      const seen = new Map<string, string>()
      for (const { hash, header } of await blocksOf(seat)) {
        const place = `${header.epoch} ${header.height}`
        expect(seen.get(place) ?? hash, place).toBe(hash)
        seen.set(place, hash)
      }
      for (const [epoch, heads] of seat.seals) expect([...heads], `epoch ${epoch}`).toHaveLength(1)
    }
  })

  it('compute the same states, byte for byte, as undisturbed validators', async () => {
    const [steady] = subnet.seats as [Seat]
    const textOf = (place: string, name: string) => readFile(join(place, 'v1/states', name), 'utf8')
    for (const place of victims.flatMap(({ folder, bucket }) => [folder, bucket])) {
      const names = await filesIn(join(place, 'v1/states'))
      expect(names.length).toBeGreaterThan(epochs.length - 3)
      for (const name of names)
        expect(await textOf(place, name), name).toBe(await textOf(steady.folder, name))
    }
  })

  it('have valid lanes, and lanes published in time are accepted', () => {
    const due = epochs.flatMap(({ epoch, report, lanes }) =>
      Object.entries(report.lanes).map(([hotkey, lane]) => {
        return { epoch, hotkey, whole: lanes.get(hotkey)?.ok ?? false, ...lane }
      }),
    )
    for (const lane of due) {
      const seat = subnet.seats.find(({ account }) => account.hotkey === lane.hotkey) as Seat
      const undisturbed = !victims.includes(seat)
      // A late lane may still have been read by enough validators.
      const accepted = undisturbed || seat.inTime.has(lane.epoch) || lane.accepted
      expect(lane).toMatchObject({ whole: lane.sealed, accepted })
    }
    for (const seat of victims) expect(seat.inTime.size).toBeGreaterThan(0)
  })

  it('leave a subnet without flaws', async () => {
    expect(epochs.flatMap(({ flaws }) => flaws)).toEqual([])
    const { code, stdout } = await run(AF_VERIFY, [subnet.buckets, '--network', file])
    expect(stdout).toContain('No problems found.')
    expect(code).toBe(0)
  })
})
