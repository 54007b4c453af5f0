import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Block, blockPath, readBlock, type Sample, statePath } from '@affine/blocks'
import { verify } from '@affine/chain'
import { canonicalize, digest, type Json, pcg64 } from '@affine/prng'
import type { Recomputed } from '@affine/settlement'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AF_VERIFY, type Ended, killAll, run } from '../../../test/processes.ts'
import { type RunningSubnet, type Seat, startSubnet } from './running-subnet.ts'

const KILLS = Number(process.env.KILLS ?? 40)
const SEED = process.env.KILL_SEED ?? String(Date.now())
/** The first two, whom nobody harms, are enough for a majority, and for a verdict. */
const STAKES = [4n, 4n, 1n, 1n]
const STEADY = 2
/** Blocks after which a life ends at last, whatever it was to be ended by. */
const LIFE = 30

let subnet: RunningSubnet
let victims: readonly Seat[]
let epochs: readonly Recomputed[]
let file: string
let second: Ended
/** How many deaths there were, by what the process was doing. */
const deaths = new Map<string, number>()
/** What must not be, where it was seen. */
const wrong: string[] = []
/** Epochs in whose sampling somebody died. */
const brokenOff = new Map<Seat, Set<number>>()

/** Where a validator writes, and about how many operations it takes in one life. */
const PLACES = [
  ['/journal/', 20],
  ['/secrets', 9],
  ['/v1/blocks', 30],
  ['/v1/states', 18],
  ['/lock', 2],
] as const

/** What a life is ended by: a disk operation, the time, samples in the journal, or what it says. */
interface Way {
  readonly by: 'disk' | 'time' | 'samples' | 'words' | 'blocks'
  readonly place?: (typeof PLACES)[number] | undefined
  readonly words?: RegExp | undefined
  /** Whether it stays dead until its epoch is over. */
  readonly isDeadForLong?: boolean
}
/** The first lives of all: together they die of everything, however few there are. */
const FIRST: Way[] = [
  { by: 'words', words: /"kind":"seal"[^}]*\},"block"/, isDeadForLong: true },
  { by: 'time' },
  { by: 'samples' },
  { by: 'disk', place: PLACES[4] },
  { by: 'disk', place: PLACES[0] },
  { by: 'words', words: /"kind":"attest"[^}]*\},"block"/ },
  { by: 'disk', place: PLACES[2] },
  { by: 'samples' },
  { by: 'disk', place: PLACES[1] },
]
const WAYS = ['disk', 'disk', 'disk', 'time', 'samples', 'words', 'blocks'] as const
const WORDS = [/"kind":"seal"[^}]*\},"block"/, /"kind":"attest"[^}]*\},"block"/, /"type":"epoch"/]

type Random = ReturnType<typeof pcg64>

/** Its journals' files, the newest last. */
const journalNames = async ({ folder }: Seat): Promise<string[]> =>
  (await readdir(join(folder, 'journal')).catch(() => [])).sort(
    (a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10),
  )

/** Its newest journals, or all, by file: their whole lines. */
async function journalsOf(seat: Seat, newest = 2): Promise<Map<string, string>> {
  const read = async (name: string) => {
    const text = await readFile(join(seat.folder, 'journal', name), 'utf8')
    return [name, text.slice(0, text.lastIndexOf('\n') + 1)] as const
  }
  return new Map(await Promise.all((await journalNames(seat)).slice(-newest).map(read)))
}

/** How much is in its newest journal. */
async function sizeOf(seat: Seat): Promise<number> {
  const name = (await journalNames(seat)).at(-1)
  return name === undefined ? 0 : (await stat(join(seat.folder, 'journal', name))).size
}

/**
 * What a process was doing when it died: by the disk operation it died in, else by what it had
 * said, and the block.
 */
function doing({ stdout, stderr }: Ended): string {
  const [, fault, path = ''] = /^(KILL|CUT) at \w+ (.*)$/m.exec(stderr) ?? []
  if (fault !== undefined)
    return `${fault} at ${PLACES.find(([place]) => path.includes(place))?.[0]}`
  if (!stdout.includes('"started"')) return 'starting'
  return subnet.at().offset < 20 ? 'in the first phase' : 'in the second phase'
}

/** What a process said that none may ever say, however often it was killed. */
function problemsIn({ code, stdout, stderr }: Ended): readonly string[] {
  const lines = stdout.split('\n').filter((line) => /altered|secret|other bytes|Error/.test(line))
  return code === null ? lines : [...lines, `ended with ${code}: ${stderr}`]
}

/** Resolves once `done` says so, or the chain is so many blocks further. */
async function within(blocks: number, done: () => boolean | Promise<boolean>): Promise<void> {
  const last = subnet.height() + blocks
  while (!(await done()) && subnet.height() < last) await sleep(5)
}

/** One life, from its start to its violent death. */
async function live(seat: Seat, random: Random, planned = FIRST.shift()): Promise<Ended> {
  const draw = (most: number) => Number(random.integers(0, most))
  const oneOf = <T>(some: readonly T[]) => some[draw(some.length)] as T
  const { by, place = oneOf(PLACES), words = oneOf(WORDS) } = planned ?? { by: oneOf(WAYS) }
  const soon = planned === undefined ? 1 : 8 // before it has come to where it would end anyhow
  const memory = `${seat.folder}-unsynced`
  // What a process after that one synced is not known.
  if (by !== 'disk') await rm(memory, { force: true })
  const [path, most] = place
  const from = 1 + draw(Math.ceil(most / soon))
  const fault = { path, from, fault: oneOf(['KILL', 'CUT']), memory }
  const process = seat.validate(by === 'disk' ? fault : undefined)
  let dead = false
  void process.ended.then(() => {
    dead = true
  })
  const said = (pattern: RegExp) => () => dead || pattern.test(process.stdout())
  if (by === 'disk') await within(2 * LIFE, () => dead)
  if (by === 'time') await sleep(draw(1000 / soon))
  if (by === 'samples') {
    const before = await sizeOf(seat)
    const more = draw(80_000 / soon)
    await within(LIFE, async () => dead || (await sizeOf(seat)) > before + more)
  }
  const isSure = planned?.isDeadForLong === true
  if (by === 'words') await within(isSure ? Number.POSITIVE_INFINITY : LIFE, said(words))
  if (by === 'blocks') await within(LIFE, said(/"type":"started"/))
  if (by === 'blocks') await within(draw(20), () => dead)
  if (by !== 'disk' && by !== 'time') await sleep(draw(40))
  const ended = await process.stop('SIGKILL')
  if (isSure) await subnet.reaches(subnet.at().epoch + 1)
  return ended
}

/**
 * Kills a validator's process again and again, together with the others, until there were enough
 * deaths.
 */
async function haunt(seat: Seat, random: Random): Promise<void> {
  let kept = new Map<string, string>()
  brokenOff.set(seat, new Set())
  const die = async (planned?: Way): Promise<void> => {
    const ended = await live(seat, random, planned)
    const what = doing(ended)
    deaths.set(what, (deaths.get(what) ?? 0) + 1)
    wrong.push(...problemsIn(ended))
    const now = await journalsOf(seat)
    for (const [name, text] of now) {
      const [epoch, samples] = [Number.parseInt(name, 10), text.split('\n').length - 2]
      if (samples > 0 && !seat.seals.has(epoch)) brokenOff.get(seat)?.add(epoch)
      // What of a journal was ever there is there ever after, at its place. But what a power cut
      // takes was not synced.
      if (!what.startsWith('CUT') && !text.startsWith(kept.get(name) ?? ''))
        wrong.push(`${name}: ${what}`)
    }
    kept = now
  }
  const all = () => [...deaths.values()].reduce((sum, count) => sum + count, 0)
  while (all() < KILLS) await die()
  // On a slow machine none may have been sealed yet of the lanes that a death broke off.
  for (let more = 0; more < 10 && !hasSurvived(); more++) {
    await die({ by: 'samples' })
    await die({ by: 'words', words: /"kind":"seal"[^}]*\},"block"/ })
  }
  while (!deaths.has('in the second phase')) await die({ by: 'blocks' })
}

/** Was a lane sealed in whose sampling its validator died? */
const hasSurvived = (): boolean =>
  victims.some((seat) => [...(brokenOff.get(seat) ?? [])].some((epoch) => seat.seals.has(epoch)))

/** For people. */
const countsOf = () =>
  victims.map((seat) => ({
    sealed: seat.seals.size,
    inTime: seat.inTime.size,
    attested: seat.attested.size,
    survived: [...(brokenOff.get(seat) ?? [])].filter((epoch) => seat.seals.has(epoch)).length,
  }))

beforeAll(async () => {
  subnet = await startSubnet({
    seed: SEED,
    stakes: STAKES,
    steady: STEADY,
    miners: 40 + KILLS / 5, // one for each epoch that there may be
    blockMs: 50,
  })
  const steady = subnet.seats.slice(0, STEADY).map((seat) => seat.validate())
  victims = subnet.seats.slice(STEADY)
  await Promise.all(
    victims.map((seat, i) =>
      haunt(seat, pcg64(BigInt(`0x${digest('kill', SEED, i).slice(0, 32)}`))),
    ),
  )
  const last = victims.map((seat) => seat.validate())
  await last[0]?.says(/"type":"started"/)
  second = await (victims[0] as Seat).validate().ended
  // Two epochs more, the first of which nobody disturbs.
  const { epoch } = subnet.at()
  await subnet.reaches(epoch + 3, 5)
  const known = () => victims.every(({ folder }) => existsSync(join(folder, statePath(epoch + 3))))
  while (!known()) await sleep(50)
  await Promise.all([...steady, ...last].map((process) => process.stop()))
  ;({ epochs, file } = await subnet.end())
  if (process.env.KILLS)
    console.info(SEED, epochs.length, Object.fromEntries([...deaths].sort()), countsOf())
}, 3_600_000) // a busy machine takes long over so many deaths
afterAll(async () => {
  await killAll()
  await subnet?.[Symbol.asyncDispose]()
})

/**
 * The blocks that a validator has in its store, and its own ones in its bucket: whether they were
 * sealed or not.
 */
async function blocksOf({ account, folder, bucket }: Seat): Promise<readonly Block[]> {
  const read = async (place: string): Promise<readonly Block[]> => {
    const names = (await readdir(join(place, 'v1/blocks'))).filter((name) => !name.startsWith('.'))
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
  it('died while doing all that a validator does', () => {
    const all = [...deaths.keys()]
    for (const what of ['starting', 'in the first phase', 'in the second phase'])
      expect(all).toContain(what)
    expect(all.filter((what) => /^(KILL|CUT) at /.test(what)).length, all.join()).toBeGreaterThan(2)
  })

  it('refuse a second process on their folder', () => {
    expect(second.code).toBe(4)
    expect(second.stderr).toMatch(
      /^af: .*validator-\d is in use by process \d+ on .+: stop it, or name another folder\n$/,
    )
  })

  it('have not lost a journalled sample: each is in the journal still, and in the lane that was sealed', async () => {
    expect(wrong).toEqual([])
    let survived = 0
    for (const seat of victims) {
      const blocks = await blocksOf(seat)
      const journals = await journalsOf(seat, Number.POSITIVE_INFINITY)
      for (const epoch of seat.seals.keys()) {
        const lines = (journals.get(`${epoch}.jsonl`) ?? '').split('\n').slice(1, -1)
        const inLane = blocks
          .filter(({ header }) => header.epoch === epoch)
          .flatMap(({ samples }) =>
            samples.map((sample: Sample) => canonicalize(sample as unknown as Json)),
          )
        const journalled = lines.map((line) =>
          line.slice(line.indexOf('"sample":') + '"sample":'.length, -1),
        )
        expect([...journalled].sort(), `epoch ${epoch}`).toEqual([...new Set(inLane)].sort())
        if (brokenOff.get(seat)?.has(epoch)) survived += 1
      }
    }
    expect(survived).toBeGreaterThan(0)
  })

  it('have never signed two blocks at one height, nor sealed two heads in an epoch', async () => {
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

  it('came to the same states as those that nobody disturbed, to the byte, in every epoch', async () => {
    const [steady] = subnet.seats as [Seat]
    for (const { folder, bucket } of victims) {
      for (const place of [folder, bucket]) {
        const names = (await readdir(join(place, 'v1/states'))).filter(
          (name) => !name.startsWith('.'),
        )
        expect(names.length).toBeGreaterThan(epochs.length - 3)
        for (const name of names) {
          const path = join('v1/states', name)
          expect(await readFile(join(place, path), 'utf8'), path).toBe(
            await readFile(join(steady.folder, path), 'utf8'),
          )
        }
      }
    }
  })

  it('have whole lanes, and those that were published in time are accepted, as are all of the undisturbed', () => {
    const due = epochs.flatMap(({ epoch, report, lanes }) =>
      Object.entries(report.lanes).map(([hotkey, lane]) => {
        return { epoch, hotkey, whole: lanes.get(hotkey)?.ok ?? false, ...lane }
      }),
    )
    for (const lane of due) {
      const seat = subnet.seats.find(({ account }) => account.hotkey === lane.hotkey) as Seat
      const undisturbed = !victims.includes(seat)
      // One that was late may still have been read by enough.
      const accepted = undisturbed || seat.inTime.has(lane.epoch) || lane.accepted
      expect(lane).toMatchObject({ whole: lane.sealed, accepted })
    }
    for (const seat of victims) expect(seat.inTime.size).toBeGreaterThan(0)
  })

  it('leave a subnet of which everything holds', async () => {
    expect(epochs.flatMap(({ flaws }) => flaws)).toEqual([])
    const { code, stdout } = await run(AF_VERIFY, [subnet.buckets, '--network', file])
    expect(stdout).toContain('Everything holds.')
    expect(code).toBe(0)
  })
})
