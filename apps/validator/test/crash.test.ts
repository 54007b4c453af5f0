import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Block, blockPath, episodesIn, readBlock, statePath } from '@affine/blocks'
import { verify } from '@affine/chain'
import { canonicalize, type Json } from '@affine/prng'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AF_VERIFY, killAll, run, type Started } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { type Running, runningSubnet, type Seat } from './running-subnet.ts'

const DISK_MIB = 64
const SEED = String(Date.now())
const OPENER = fileURLToPath(
  new URL('../../../packages/engine/test/open-journal.ts', import.meta.url),
)
const FAULTS = new URL('./faults.mjs', import.meta.url).href

const root = testFolder('crash')
let subnet: Running
let seat: Seat
let validator: Started
/** Is its folder a small disk of its own? */
let mounted = false
/** The first epoch in which it had a lane, and the one that it is in. */
let first: number
let epoch: number

const settles = async (done: () => boolean): Promise<void> => {
  while (!done()) await sleep(10)
}

/** Once the validator has attested its epoch, another process of it begins the next one. */
async function nextEpoch(faults?: object): Promise<void> {
  epoch = subnet.at().epoch
  await settles(() => seat.attested.has(epoch))
  await restart(faults)
  await subnet.reaches(epoch + 1)
  epoch += 1
}

async function restart(faults?: object): Promise<void> {
  await validator.stop('SIGKILL')
  validator = seat.validate(faults)
}

/** The cause of a failure is gone: what failed is tried again at the next block. */
async function mend(until: string): Promise<void> {
  await writeFile(until, '')
  subnet.hurry()
}

const journalPath = (): string => join(seat.folder, 'journal', `${epoch}.jsonl`)
const sealed = (): Promise<void> => settles(() => seat.seals.has(epoch))
const linesOf = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8')).split('\n').slice(1, -1)

/** The blocks of this epoch's lane, from the store. */
async function blocks(): Promise<readonly Block[]> {
  const all: Block[] = []
  const [head = ''] = seat.seals.get(epoch) ?? []
  for (let hash = head, height = 1; height > 0; ) {
    const block = readBlock(await readFile(join(seat.folder, blockPath(hash))), { hash, verify })
    if (!block.ok) throw new Error(`${block.code}: ${block.detail}`)
    all.push(block.value)
    ;({ prev: hash, height } = block.value.header)
  }
  return all
}

/** Expects the lane to be sealed, once, and to hold the very samples that are in the journal. */
async function expectWhole(): Promise<void> {
  await sealed()
  expect(seat.seals.get(epoch)?.size).toBe(1)
  const inLane = (await blocks()).flatMap(({ samples }) =>
    samples.map((sample) => canonicalize(sample as unknown as Json)),
  )
  const inJournal = (await linesOf(journalPath())).map((line) =>
    line.slice(line.indexOf('"sample":') + 9, -1),
  )
  expect([...inLane].sort()).toEqual([...inJournal].sort())
}

beforeAll(async () => {
  subnet = await runningSubnet({
    seed: SEED,
    stakes: [1n],
    steady: 0,
    miners: 16, // more than there are epochs
    blockMs: 25,
    // However slow the machine is; where nothing can come before the next block, it is hurried.
    patienceMs: 600_000,
  })
  seat = subnet.seats[0] as Seat
  await mkdir(seat.folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'affine-test', seat.folder], {
      stdio: 'ignore',
    })
    mounted = true
  } catch {}
  validator = seat.validate()
  await settles(() => seat.seals.size > 0)
  first = Math.min(...seat.seals.keys())
})
afterAll(async () => {
  await killAll()
  if (mounted) execFileSync('umount', [seat.folder])
  await subnet?.[Symbol.asyncDispose]()
})

describe('a disk that fails under a validator', () => {
  /** What fails, one after the other, in the order in which an epoch comes to it. */
  const failing = [
    ['EROFS', 'v1/states', 'open', 1],
    ['ENOSPC', 'journal', 'appendFile', 4],
    ['EIO', 'journal', 'datasync', 9],
    ['ENOSPC', 'v1/blocks', 'writeFile', 1],
    ['EIO', 'v1/blocks', 'sync', 2],
  ] as const
  type Failing = readonly [fault: string, place: string, op: string, from: number]
  const failure = ([fault, place, op, from]: Failing) => {
    const until = join(root, `${fault}-${place}-${op}`.replace('/', '-'))
    return { fault, path: `${seat.folder}/${place}`, op, from, until }
  }
  const secret = () => failure(['ENOSPC', 'secrets', 'writeFile', 1])

  it('ends at once, and says so, when it cannot even be locked', async () => {
    await nextEpoch({ fault: 'EROFS', path: `${seat.folder}/lock`, op: 'open' })
    const { code, stderr } = await validator.ended
    expect(code).toBe(1)
    const why = `a file is on a read-only disk: EROFS: .*${seat.folder}/lock`
    expect(stderr).toMatch(new RegExp(`^af: ${why}`))
  })

  it('says what and where, and seals when the causes are gone, not before', async () => {
    // It holds its folder, although it cannot write its name into the lock.
    const nameless = { fault: 'ENOSPC', path: `${seat.folder}/lock`, op: 'truncate' }
    const faults = failing.map(failure)
    await restart([nameless, ...faults, secret()])
    for (const { fault, path, until } of faults) {
      await validator.says(new RegExp(`cannot write ${path}/[^ "]+: ${fault}`))
      expect(seat.seals.has(epoch)).toBe(false)
      await mend(until)
    }
    await expectWhole()
  })

  it('attests nothing while the next secret is not on disk', async () => {
    const { path, until } = secret()
    await validator.says(new RegExp(`cannot write ${path}/${epoch + 1}: ENOSPC`))
    expect(seat.attested.has(epoch)).toBe(false)
    await mend(until)
    await settles(() => seat.attested.has(epoch))
    await expectWhole()
  })

  it('keeps nothing of a sample that it could not sync, and all that it could', async () => {
    const until = join(root, 'synced')
    await nextEpoch({ fault: 'EIO', path: '/journal/', op: 'datasync', from: 5, until })
    await validator.says(/fdatasync|datasync/)
    await validator.stop('SIGKILL')
    const kept = await readFile(journalPath(), 'utf8')
    expect(kept.endsWith('\n')).toBe(true)
    validator = seat.validate({ fault: 'EIO', path: '/journal/', op: 'datasync', from: 2, until })
    await validator.says(/datasync/)
    expect(await readFile(journalPath(), 'utf8')).toBe(kept)
    await mend(until)
    await expectWhole()
    expect((await readFile(journalPath(), 'utf8')).startsWith(kept)).toBe(true)
  })

  it('goes on when there is room again on a disk that was really full, and when a read-only one is writable', async (context) => {
    if (!mounted) return context.skip('mounting is not permitted')
    await nextEpoch()
    await validator.stop('SIGKILL')
    const before = seat.seals.size
    const ballast = join(seat.folder, 'ballast')
    await writeFile(ballast, Buffer.alloc(DISK_MIB << 20)).catch(() => {})
    validator = seat.validate()
    try {
      await validator.says(new RegExp(`cannot write ${seat.folder}/[^ "]+: ENOSPC`))
      expect(seat.seals.size).toBe(before)
    } finally {
      await rm(ballast)
      subnet.hurry()
    }
    await expectWhole()

    await validator.stop('SIGKILL')
    execFileSync('mount', ['-o', 'remount,ro', seat.folder])
    const { code, stderr } = await seat.validate().ended
    execFileSync('mount', ['-o', 'remount,rw', seat.folder])
    expect(code).toBe(1)
    expect(stderr).toBe(`af: ${seat.folder}/lock is on a read-only disk\n`)
    validator = seat.validate()
  })
})

describe('a folder in which something was altered while a validator was down', () => {
  /**
   * Alters a file in one way after the other, each list from before a validator starts, as none
   * soon says the same again; sees what it says of each, and puts the file back.
   */
  async function expectSays(
    path: string,
    ...lists: readonly (readonly (readonly [(bytes: Buffer) => Buffer, RegExp])[])[]
  ): Promise<void> {
    const before = await readFile(path)
    for (const alterations of lists) {
      for (const [i, [change, message]] of alterations.entries()) {
        const from = i === 0 ? 0 : validator.stdout().length
        await writeFile(path, change(Buffer.from(before)))
        if (i === 0) await restart()
        else subnet.hurry()
        await validator.says(message, from)
      }
    }
    await writeFile(path, before)
    subnet.hurry()
  }
  const swap = (from: RegExp, to: string) => (bytes: Buffer) =>
    Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1')
  const NO_SAMPLE =
    /journal\/\d+\.jsonl, line 2: not a sample\. The journal was altered; move it away/

  it('its journal, in a line or a value: it says so, seals nothing, and goes on once it is put back', async () => {
    await nextEpoch({ fault: 'KILL', path: `${seat.folder}/v1/blocks` })
    await validator.ended
    await expectSays(
      journalPath(),
      [
        [
          swap(/\n\{"at"/, '\n{"at" '),
          /journal\/\d+\.jsonl, line 2: .*The journal was altered; move it away/,
        ],
        [
          swap(/"reward":1\}/, '"reward":0}'),
          /journal\/\d+\.jsonl was altered: WRONG_REWARD: .*Put it back, or move it away/,
        ],
        [swap(/"messages":/, '"messages_":'), NO_SAMPLE],
        [
          swap(/"reward":1\}/, '"reward":"1"}'),
          /journal\/\d+\.jsonl was altered: .*BAD_SAMPLE.*Put it back, or move it away/,
        ],
      ],
      [[swap(/"at":\d+/, '"at":"soon"'), NO_SAMPLE]],
    )
    await expectWhole()
  })

  it('its secret: the same', async () => {
    await nextEpoch({ fault: 'KILL', path: '/journal/', op: 'datasync', from: 6 })
    await validator.ended
    const path = join(seat.folder, 'secrets', `${epoch}`)
    await expectSays(path, [
      [
        (bytes) => bytes.subarray(1),
        /secrets\/\d+ does not hold a secret: put it back, or move it away/,
      ],
      [
        (bytes) => bytes.fill('0', 0, 9),
        /secrets\/\d+ is not the secret whose digest is on chain: put that one back/,
      ],
    ])
    await expectWhole()
  })

  it('its state, or a sealed block: the same', async () => {
    await nextEpoch({ fault: 'KILL', path: `${seat.folder}/v1/blocks`, from: 6 })
    await validator.ended
    const names = await readdir(join(seat.folder, 'v1/blocks'))
    const times = await Promise.all(
      names.map(async (name) => (await stat(join(seat.folder, 'v1/blocks', name))).mtimeMs),
    )
    const newest =
      names[times.indexOf(Math.max(...times.filter((_, i) => names[i]?.endsWith('.jsonl'))))] ?? ''
    const paths = [statePath(epoch), `v1/blocks/${newest}`].map((path) => join(seat.folder, path))
    const before = await Promise.all(paths.map((path) => readFile(path)))
    for (const [i, path] of paths.entries())
      await writeFile(path, before[i]?.subarray(0, -20) ?? '')
    validator = seat.validate()
    const messages = [
      /v1\/states\/\d+\.json.*Move it away/,
      /v1\/blocks\/[^ ]+: move it away if it was altered/,
    ]
    for (const [i, message] of messages.entries()) {
      await validator.says(message)
      await writeFile(paths[i] ?? '', before[i] ?? '')
      subnet.hurry()
    }
    await expectWhole()
  })

  it('a journal that is gone is no reason to seal a second lane', async () => {
    await nextEpoch({ clock: 6 * 3_600_000 })
    await validator.says(new RegExp(`"what":"seal ${epoch}"`))
    await validator.stop('SIGKILL')
    await rename(journalPath(), `${journalPath()}.gone`)
    validator = seat.validate()
    await validator.says(/"what":"(seal|attest)/)
    await settles(() => seat.attested.has(epoch))
    expect(existsSync(journalPath())).toBe(false)
    await rename(`${journalPath()}.gone`, journalPath())
    await expectWhole()
  })
})

it('a clock that jumps by hours, to and fro, as in that epoch, leaves times that are ones', async () => {
  const all = await blocks()
  const times = all.flatMap(({ header, samples }) => [
    header.time,
    ...samples.flatMap((sample) =>
      episodesIn(sample).flatMap(({ ms, messages }) => [
        ms,
        ...messages.flatMap((message) => ('ms' in message ? message.ms : 0)),
      ]),
    ),
  ])
  expect(times.length).toBeGreaterThan(100)
  for (const time of times) expect(time).toBeGreaterThanOrEqual(0)
  for (const time of times) expect(time).toSatisfy(Number.isSafeInteger)
})

it('after all that everything holds, and every lane that was due is accepted', async () => {
  await settles(() => seat.attested.has(epoch))
  await subnet.reaches(epoch + 1, 5)
  const last = epoch
  await settles(() => existsSync(join(seat.bucket, statePath(last + 1))))
  await validator.stop()
  const { epochs, file } = await subnet.end()
  const lanes = epochs.slice(first, last + 1).flatMap(({ report }) => Object.values(report.lanes))
  expect(lanes).toHaveLength(last + 1 - first)
  for (const lane of lanes) expect(lane).toMatchObject({ sealed: true, accepted: true })
  expect(epochs.flatMap(({ flaws }) => flaws)).toEqual([])
  const { stdout } = await run(AF_VERIFY, [subnet.buckets, '--network', file])
  expect(stdout).toContain('Everything holds.')
})

describe('a journal', () => {
  const open = (path: string, faults: object, ...words: string[]) => {
    const env = { FAULTS: JSON.stringify(faults), NODE_OPTIONS: `--import ${FAULTS}` }
    return run(OPENER, [path, ...words], { env })
  }

  it('keeps through a power cut what it has told anyone, its new folder included', async () => {
    await mkdir(join(root, 'cut'))
    const path = join(root, 'cut/new/journal.jsonl')
    const first = await open(path, { fault: 'CUT', path, op: 'appendFile', from: 3 }, 'one', 'two')
    expect(first.stdout).toBe('[]\none is in\n')
    const memory = join(root, 'unsynced')
    // It dies before its last line is synced; the next process reads that line, and then the power
    // fails.
    const second = await open(path, { fault: 'KILL', path, op: 'datasync', from: 2, memory }, 'two')
    expect(second.stdout).toBe('["one"]\n')
    const third = await open(
      path,
      { fault: 'CUT', path, op: 'appendFile', from: 2, memory },
      'three',
    )
    expect(third.stdout).toBe('["one","two"]\n')
    expect((await open(path, {})).stdout).toBe('["one","two"]\n')
  })

  it('shows to nobody what it could not sync', async () => {
    const path = join(root, 'unsynced.jsonl')
    const failed = await open(path, { fault: 'EIO', path, op: 'datasync', from: 3 }, 'one', 'two')
    expect(failed.stdout).toBe('[]\none is in\n')
    expect(failed.stderr).toContain(`cannot write ${path}: EIO`)
    expect((await open(path, {})).stdout).toBe('["one"]\n')
  })
})
