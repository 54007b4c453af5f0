import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Block, readBlock } from '@affine/blocks'
import { account, LocalChain, verify } from '@affine/chain'
import { canonicalize, type Json } from '@affine/prng'
import { LOCAL_NETWORK, openBucket, type Recomputed, recompute } from '@affine/verifier'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AF, AF_VERIFY, type Ended, killAll, run, type Started, start } from '../../verifier/test/processes.ts'

const BLOCK_MS = 200
/** Kills at least, and at most: it goes on until a lane was sealed whose sampling a kill had broken off. */
const [KILLS, MOST_KILLS] = [6, 15]
/** In what a validator says of a decided epoch. */
const ACCEPTED = /"type":"epoch".*"accepted":true/

let root: string
let url: string
let hotkey: string
/** What the journals held at each kill: a sample that is there was acknowledged, or was about to be. */
const journalled: Map<string, ReadonlySet<string>>[] = []
/** Epochs whose sampling was broken off, and whose lane was sealed all the same. */
const survived = new Set<number>()
let second: Ended
let epochs: readonly Recomputed[]
let blocks: readonly Block[]

const folder = (): string => join(root, 'validator')
const buckets = (): string => join(root, 'buckets')
const key = (name: string): string => join(root, 'localnet/keys', name)

const validate = (): Started =>
  start(AF, [
    ...['validate', '--network', url, '--key', key('validator-1'), '--folder', folder(), '--buckets', buckets()],
    ...['--concurrency', '2', '--json'],
  ])

/** The whole lines of every journal, by its file. */
async function journals(): Promise<Map<string, ReadonlySet<string>>> {
  const names = await readdir(join(folder(), 'journal')).catch(() => [])
  const read = async (name: string) => {
    const text = await readFile(join(folder(), 'journal', name), 'utf8')
    return [name, new Set(text.split('\n').slice(1, -1))] as const
  }
  return new Map(await Promise.all(names.map(read)))
}

const countOf = (kept: ReadonlyMap<string, ReadonlySet<string>>): number =>
  [...kept.values()].reduce((sum, lines) => sum + lines.size, 0)

/** Which lanes a validator sealed before it died, and which it left unsealed with samples in its journal. */
function note(stdout: string, broken: Set<number>): void {
  for (const [, epoch] of stdout.matchAll(/"what":"seal (\d+)"/g))
    if (broken.has(Number(epoch))) survived.add(Number(epoch))
  for (const [name, lines] of journalled.at(-1) ?? []) {
    const epoch = Number.parseInt(name, 10)
    if (lines.size > 0 && !stdout.includes(`"what":"seal ${epoch}"`) && !survived.has(epoch)) broken.add(epoch)
  }
}

/** Waits for the journals to grow by `samples`, but not for ever: there may be nothing to sample. */
async function grown(samples: number): Promise<void> {
  const before = countOf(await journals())
  const patience = Date.now() + 4000
  while (countOf(await journals()) < before + samples && Date.now() < patience) await sleep(3)
}

async function blocksIn(place: string): Promise<readonly Block[]> {
  const names = (await readdir(join(place, 'v1/blocks'))).filter((name) => !name.startsWith('.'))
  const read = async (name: string): Promise<Block> => {
    const hash = name.replace('.jsonl', '')
    const block = readBlock(await readFile(join(place, 'v1/blocks', name)), { hash, verify })
    if (!block.ok) throw new Error(`${name}: ${block.code}: ${block.detail}`)
    return block.value
  }
  return Promise.all(names.map(read))
}

/** A subnet of one validator, which is killed again and again, four miners, and a chain that goes on. */
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kill-'))
  const out = join(root, 'localnet')
  const words = ['--port', '0', '--block-ms', String(BLOCK_MS), '--validators', '1', '--miners', '4', '--out', out]
  const chain = start(AF, ['localnet', ...words, '--json'])
  url = JSON.parse((await chain.says(/^\{"type":"serving".*\}$/m))[0]).url
  hotkey = account(Buffer.from(await readFile(key('validator-1'), 'utf8'), 'hex')).hotkey
  // Each is better than the one before, so that no duel takes long, and there is a next one.
  for (const [i, skill] of ['0.1', '0.4', '0.7', '1'].entries()) {
    const words = ['--port', '0', '--skill', skill, '--network', url, '--key', key(`miner-${i + 1}`)]
    await start(AF, ['miner', ...words]).says(/committed/)
  }

  let accepted = false
  const broken = new Set<number>()
  for (let kill = 0; kill < KILLS || (survived.size === 0 && kill < MOST_KILLS); kill++) {
    const validator = validate()
    await validator.says(/"type":"started"/)
    // Most in the middle of sampling, some at any other moment: while it starts, seals, publishes, attests, decides.
    // Once it dies between seal and publication, and is away until the epoch is over.
    if (kill === 1) await validator.says(/"what":"seal \d+"/)
    else if (kill % 3 === 2) await sleep(Math.random() * 30 * BLOCK_MS)
    else await grown(3 + Math.floor(Math.random() * 40))
    if (kill === 0) second = await validate().ended
    const { stdout } = await validator.stop('SIGKILL')
    if (kill === 1) await sleep(30 * BLOCK_MS)
    journalled.push(await journals())
    note(stdout, broken)
    accepted ||= ACCEPTED.test(stdout)
  }
  const last = validate()
  await last.says(accepted ? /"type":"epoch"/ : ACCEPTED)
  note((await last.stop()).stdout, broken)
  await chain.stop()
  const imported = LocalChain.import(await readFile(join(out, 'chain.json'), 'utf8'))
  const all: Recomputed[] = []
  const open = (who: string, name: string) => openBucket(who, name, buckets())
  for await (const epoch of recompute({ chain: imported, network: LOCAL_NETWORK, openBucket: open })) all.push(epoch)
  epochs = all
  blocks = [...(await blocksIn(folder())), ...(await blocksIn(join(buckets(), hotkey)))]
}, 120_000)
afterAll(async () => {
  await killAll()
  await rm(root, { recursive: true })
})

describe('a validator that is killed at any moment and started again', () => {
  it('has sealed a lane whose sampling was broken off, and refused a second process on its folder', () => {
    expect(survived.size).toBeGreaterThan(0)
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/^af: .*validator is in use by process \d+: stop it, or name another --folder\n$/)
  })

  it('has not lost a journalled sample: each is in the journal still, and in the lane that was sealed', async () => {
    const end = await journals()
    for (const kept of journalled) {
      for (const [name, lines] of kept) {
        for (const line of lines) expect(end.get(name)?.has(line), `${name}: ${line.slice(0, 100)}`).toBe(true)
      }
    }
    for (const { epoch, report } of epochs) {
      if (!report.lanes[hotkey]?.sealed) continue
      const inLane = new Set(
        blocks
          .filter(({ header }) => header.epoch === epoch)
          .flatMap(({ samples }) => samples.map((sample) => canonicalize(sample as unknown as Json))),
      )
      const lines = [...(end.get(`${epoch}.jsonl`) ?? [])]
      expect(lines.length).toBe(inLane.size)
      for (const line of lines) {
        const sample = line.slice(line.indexOf('"sample":') + '"sample":'.length, -1)
        expect(inLane.has(sample), `${epoch}: ${sample.slice(0, 100)}`).toBe(true)
      }
    }
  })

  it('has never signed two blocks at one height', () => {
    const seen = new Map<string, string>()
    for (const { hash, header } of blocks) {
      const place = `${header.epoch} ${header.height}`
      expect(seen.get(place) ?? hash).toBe(hash)
      seen.set(place, hash)
    }
  })

  it('has sealed lanes that are accepted, every one of them', () => {
    const sealed = epochs.flatMap(({ report }) => Object.values(report.lanes)).filter((lane) => lane.sealed)
    expect(sealed.length).toBeGreaterThan(0)
    for (const lane of sealed) expect(lane).toMatchObject({ whole: true })
    expect(sealed.some((lane) => lane.accepted)).toBe(true)
  })

  it('leaves a subnet of which everything holds', async () => {
    expect(epochs.flatMap(({ flaws }) => flaws)).toEqual([])
    const { code, stdout } = await run(AF_VERIFY, [buckets(), '--network', join(root, 'localnet/chain.json')])
    expect(stdout).toContain('Everything holds.')
    expect(code).toBe(0)
  })
})
