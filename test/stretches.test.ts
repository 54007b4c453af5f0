import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { statePath } from '../packages/blocks/src/index.ts'
import type { Account } from '../packages/chain/src/index.ts'
import type { State } from '../packages/duel/src/index.ts'
import { make } from '../packages/envs/src/index.ts'
import { beaconBlock, findStart, LOCAL_NETWORK } from '../packages/settlement/src/index.ts'
import { changedSnapshots } from '../packages/settlement/test/changed-snapshots.ts'
import { FIRST_DUEL, hotkeys, ReadingSubnet, type Reply } from './attacks/reading-subnet.ts'
import { writeSubnet } from './attacks/write-subnet.ts'
import { runVerifier } from './in-process.ts'
import { AF_VERIFY } from './processes.ts'
import { hasSlurm, Slurm } from './slurm.ts'
import { testFolder } from './test-folder.ts'

const LAST = 5
/** Address of the first voter's bucket from epoch 3 on. The bucket is empty. */
const EMPTY = 'empty'

/** Lets the contender play mult8 and hex. All other replies are missing. */
const reply: Reply = ({ role, env, prompt }) => {
  const isPlayed = env.startsWith('mult8@') || env.startsWith('hex@')
  return role === 'contender' && isPlayed ? make(env).spec.solve(prompt) : undefined
}

/** Six epochs with duels, two champions, a wrong state, an empty bucket and wrong weights. */
class History extends ReadingSubnet {
  constructor() {
    super([100, 90, 80, 70], 0, LOCAL_NETWORK)
  }

  async make(): Promise<void> {
    let state = await this.begin()
    for (const { state } of await this.recompute()) this.publish(state)
    for (let epoch = FIRST_DUEL; epoch <= LAST; epoch++) state = await this.#playEpoch(state)
  }

  /** Plays the epoch that `state` governs. Resolves with the next state. */
  async #playEpoch(state: State): Promise<State> {
    const { epoch } = state
    if (epoch === 2) await this.#setWeights()
    // The first champion, dethroned by now, contends again with another model.
    if (epoch === 4) await this.leave()
    const due = this.voters.filter(({ hotkey }) => Object.hasOwn(state.due, hotkey))
    await this.produceTo(beaconBlock(epoch, LOCAL_NETWORK.protocol))
    await this.sealAll(state, due, { reply })
    const [first, ...others] = this.voters as [Account, ...Account[]]
    await this.attest(first, state, hotkeys(due), epoch > 2 ? EMPTY : first.hotkey)
    await this.attestAll(state, others, hotkeys(due))
    const decided = await this.endWith(state)
    this.publish(decided.state)
    return decided.state
  }

  /** Publishes a state, which is wrong in the second bucket in epoch 4. */
  override publish(state: State): void {
    super.publish(state)
    const { files } = this.buckets.at(this.voters[1]?.hotkey ?? '')
    if (state.epoch === 4) files.set(statePath(state.epoch), new Uint8Array(9))
  }

  async #setWeights(): Promise<void> {
    const sent = this.voters.map((voter, i) => this.chain.setWeights(voter, [[i < 3 ? 4 : 1, 1]]))
    await this.chain.produce(0)
    await Promise.all(sent)
  }
}

const history = new History()
const root = testFolder('stretches')
let chain: string

beforeAll(async () => {
  await history.make()
  chain = await writeSubnet(history, root)
})

test.each([
  ['weights apply immediately', 0, [0, 0, 1, 1, 4, 4]],
  ['weights wait for an epoch', 1, [0, 0, 1, 1, 1, 1]],
])('finds the same in two epochs as in the whole history if %s', async (...row) => {
  const [, revealPeriod, warned] = row
  const chain = changedSnapshots(history.chain, () => ({ revealPeriod }))
  const data = { chain, network: LOCAL_NETWORK, openBucket: history.buckets.open }
  const whole = await history.recompute(data)
  const codes = (epoch: number) => new Set(whole[epoch]?.flaws.map(({ code }) => code))
  expect(codes(4)).toEqual(new Set(['STATE_DIFFERS', 'STATE_MISSING']))
  expect(codes(5)).toEqual(new Set(['COPY_MISSING', 'STATE_MISSING']))
  expect(whole.map(({ warnings }) => warnings.length)).toEqual(warned)
  expect(new Set(whole.map(({ before }) => before.champion?.hotkey)).size).toBe(3)
  for (let first = 0; first <= LAST; first++) {
    const beginning = await findStart(data, first)
    const to = Math.min(first + 1, LAST)
    const stretch = await history.recompute({ ...data, ...beginning, to })
    expect(stretch).toEqual(whole.slice(first, to + 1))
  }
})

test('compares the given number of copies of each block', async () => {
  const flaws = async (copies: string) => {
    const words = [root, '--network', chain, '--copies', copies, '--json']
    const { stdout } = await runVerifier(words)
    return [...stdout.matchAll(/^\{"type":"flaw".*"code":"(\w+)"/gm)].map(([, code]) => code)
  }
  // The first voter's bucket is empty from epoch 3 on, and the voter attests three states.
  const missing = Array(LAST - 2).fill('STATE_MISSING')
  expect((await flaws('0')).sort()).toEqual(['STATE_DIFFERS', ...missing])
  const all = await flaws('99')
  expect(all).toHaveLength(12)
  const some = await flaws('1')
  expect(some.length).toBeLessThan(12)
})

const JOB = resolve('deploy/verify-parts.sbatch')
const COMPARISON = resolve('deploy/compare-parts.sh')

describe('parts of a history', () => {
  const FILES = ['0.json', '2.json', '4.json']
  /** The first and last epoch of each run. The last two runs find no end of the last epoch. */
  const RUNS = ['0-1', '2-3', '4-5', '6-7', '1-9']
  let results: string
  /** Environment of the job. */
  let variables: Record<string, string>
  const wordsOf = (run: string): string =>
    `--network ${chain} --from-epoch ${run.replace('-', ' --to-epoch ')} --json`
  const runTask = (index: number, more: Record<string, string> = {}) =>
    spawnSync('sh', [JOB], {
      env: { ...variables, SLURM_ARRAY_TASK_ID: String(index), ...more },
    }).status

  beforeAll(async () => {
    const [bin, recorded] = [join(root, 'bin'), join(root, 'recorded')]
    results = join(root, 'results')
    for (const folder of [bin, recorded, results]) await mkdir(folder)
    for (const name of RUNS) {
      const { stdout } = await runVerifier([root, ...wordsOf(name).split(' ')])
      await writeFile(join(recorded, name), stdout)
    }
    // The job runs a program that prints what af-verify printed for the same words.
    const shim = join(bin, 'af-verify')
    await writeFile(shim, `#!/bin/sh\necho "$*" >> ${root}/runs\ncat "${recorded}/$4-$6"\nexit 1\n`)
    await chmod(shim, 0o755)
    const PATH = `${bin}:${process.env.PATH}`
    variables = { FIRST: '0', SPAN: '2', NETWORK: chain, RESULTS: results, PATH }
    for (const index of [0, 1, 2]) expect(runTask(index)).toBe(0)
  })

  const read = (name: string) => readFile(join(results, name), 'utf8')

  test('are verified once, and a failed task leaves no result', async () => {
    expect(runTask(2)).toBe(0)
    expect(runTask(3)).not.toBe(0)
    expect(runTask(0, { SPAN: '9', RESULTS: root, FIRST: '1' })).not.toBe(0)
    const runs = await readFile(join(root, 'runs'), 'utf8')
    expect(runs.trim().split('\n')).toEqual(RUNS.map(wordsOf))
    const names = (await readdir(results)).filter((name) => name.endsWith('.json'))
    expect(names.sort()).toEqual(FILES)
  })

  test('find the same as the whole history, each from the last state of the previous part', async () => {
    const { code, stdout } = await runVerifier([root, '--network', chain, '--json'])
    expect(code).toBe(1)
    const whole = stdout.trim().split('\n')
    const parts = await Promise.all(
      FILES.map(async (name) => (await read(name)).trim().split('\n')),
    )
    expect(parts.flatMap((lines) => lines.slice(1, -1))).toEqual(whole.slice(1, -1))
    const placeOf = (line = ''): object => {
      const { epoch, root } = JSON.parse(line)
      return { epoch, root }
    }
    const begins = parts.map(([begin]) => placeOf(begin))
    const ends = parts.map((lines) => placeOf(lines.at(-1)))
    expect([...begins, placeOf(whole.at(-1))]).toEqual([placeOf(whole[0]), ...ends])
    const second = wordsOf('2-3').split(' ').slice(0, -1)
    const { stdout: text } = await runVerifier([root, ...second])
    const { root: begun } = JSON.parse(parts[1]?.[0] ?? '')
    const { root: ended } = JSON.parse(parts[1]?.at(-1) ?? '')
    expect(text).toContain(`the attested state ${begun}\n`)
    expect(text).toContain(`state root ${ended}, `)
  })

  /** Runs compare-parts.sh on these files, which verify-parts.sbatch writes. */
  async function compare(files: Readonly<Record<string, string>>) {
    const folder = await mkdtemp(join(root, 'compared-'))
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    const { status, stdout, stderr } = spawnSync('sh', [COMPARISON, folder], { encoding: 'utf8' })
    expect(stderr).toBe('')
    return { status, lines: stdout.trimEnd().split('\n') }
  }

  type Parts = Record<string, string>
  /** Resolves with the parts, in which `change` changes the text of each. */
  async function readParts(change: (text: string) => string = (text) => text): Promise<Parts> {
    const texts = FILES.map(async (name) => [name, change(await read(name))] as const)
    return Object.fromEntries(await Promise.all(texts))
  }

  test('fail a comparison if they have flaws, and each flaw is listed', async () => {
    const { status, lines } = await compare(await readParts())
    expect(status).toBe(1)
    expect(lines).toHaveLength(12 + 1)
    expect(lines[0]).toMatch(/^[24]\.json: \{"type":"flaw","epoch":3,/)
    expect(lines.at(-1)).toMatch(/^3 of 3 parts ended, with 6 [0-9a-f]{64}$/)
  })

  const HOLDS = /^3 of 3 parts ended, with 6 \w+$/
  const cut = (text: string): string => text.slice(0, text.lastIndexOf('{"type":"end"'))
  const ofAnother = (text: string): string => text.replace(/"root":".{4}/, '"root":"0000')
  test.each<[string, (parts: Parts) => Parts, number, readonly RegExp[]]>([
    ['each begins where the last ended', (parts) => parts, 0, [HOLDS]],
    [
      'names are sorted as numbers',
      ({ '4.json': last = '', ...parts }) => ({ ...parts, '10.json': last }),
      0,
      [HOLDS],
    ],
    [
      'one is missing',
      ({ '2.json': _, ...parts }) => parts,
      1,
      [/^4\.json: \{"type":"begin","epoch":4,/, /^2 of 2/],
    ],
    [
      'one begins with another state',
      ({ '2.json': one = '', ...parts }) => ({ ...parts, '2.json': ofAnother(one) }),
      1,
      [/^2\.json: \{"type":"begin","epoch":2,"root":"0000/, HOLDS],
    ],
    [
      'one was cut short',
      ({ '2.json': one = '', ...parts }) => ({ ...parts, '2.json': cut(one) }),
      1,
      [/^4\.json: /, /^2 of 3/],
    ],
    ['the last is empty', (parts) => ({ ...parts, '4.json': '' }), 1, [/^2 of 3/]],
  ])('are compared: %s', async (_, alter, code, patterns) => {
    const parts = await readParts((text) => text.replace(/^\{"type":"flaw".*\n/gm, ''))
    const { status, lines } = await compare(alter(parts))
    expect([status, lines]).toEqual([code, patterns.map((line) => expect.stringMatching(line))])
  })

  test.skipIf(!hasSlurm())(
    'are the same on a Slurm cluster, which compares them',
    async () => {
      const folder = join(root, 'slurm')
      const RESULTS = join(folder, 'results')
      await mkdir(RESULTS, { recursive: true })
      const program = join(folder, 'af-verify')
      await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${AF_VERIFY} ${root} "$@"\n`)
      await chmod(program, 0o755)
      const PATH = `${folder}:${process.env.PATH}`
      const slurm = new Slurm(folder, { ...variables, PATH, RESULTS })
      onTestFinished(() => slurm.stop())
      await slurm.ready()
      const logs = `--output=${join(folder, 'part-%a.txt')}`
      const parts = await slurm.submit('--array=0-2', logs, JOB)
      const output = join(folder, 'compared.txt')
      const compared = await slurm.submit(
        ...[`--dependency=afterok:${parts}`, `--output=${output}`, COMPARISON, RESULTS],
      )
      // This history has flaws.
      await expect.poll(() => slurm.show(compared)).toContain(' ExitCode=1:0')
      expect((await readdir(RESULTS)).sort()).toEqual(FILES)
      for (const name of FILES)
        expect(await readFile(join(RESULTS, name), 'utf8')).toBe(await read(name))
      expect(await readFile(output, 'utf8')).toMatch(/^3 of 3 parts ended, with 6 [0-9a-f]{64}$/m)
    },
    180_000,
  )
})
