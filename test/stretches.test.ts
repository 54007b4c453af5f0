import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { statePath } from '../packages/blocks/src/index.ts'
import type { Chain } from '../packages/chain/src/index.ts'
import { encodeState, type State } from '../packages/duel/src/index.ts'
import { beaconBlock, beginningAt, LOCAL_NETWORK } from '../packages/settlement/src/index.ts'
import { writeSubnet } from './attacks/af-verify.ts'
import { contender, hotkeys, ReadingSubnet } from './attacks/reading-subnet.ts'
import { AF_VERIFY, type Ended, killAll, run, start } from './processes.ts'

const LAST = 7
/** The second's bucket, which the first says is its own an epoch later. */
const SHARED = 'shared'

/** The contender has every product right, and nobody plays tic-tac-toe. */
const reply = ({ role, prompt }: { role: string; prompt: string }): string | undefined => {
  const [, a, b] = /(\d{8}) \* (\d{8})/.exec(prompt) ?? []
  return role === 'contender' && a && b ? String(BigInt(a) * BigInt(b)) : undefined
}

/**
 * Seven epochs: duels, champions that come and go, a state that is rubbish, a bucket that is another
 * one's, and weights that are wrong.
 */
class History extends ReadingSubnet {
  state: State | undefined

  constructor() {
    super([100, 90, 80, 70], 0, LOCAL_NETWORK)
  }

  async make(): Promise<void> {
    this.state = await this.begin()
    this.#publish(this.state)
    for (let epoch = 1; epoch <= LAST; epoch++) await this.#epoch(this.state, epoch)
  }

  async #epoch(state: State, epoch: number): Promise<void> {
    if (epoch === 2) await this.#setWeights()
    if (epoch === 4) await this.leave()
    if (epoch === 5)
      await this.commit(contender, { kind: 'miner', model: 'm', revision: 'r2', chute: 'c' })
    const due = this.voters.filter(({ hotkey }) => Object.hasOwn(state.due, hotkey))
    await this.produceTo(beaconBlock(epoch, LOCAL_NETWORK.protocol))
    await this.sealAll(state, due, { reply })
    for (const [i, voter] of this.voters.entries()) {
      const isAtShared = (i === 1 && epoch > 1) || (i === 0 && epoch > 2)
      const url = isAtShared ? SHARED : voter.hotkey
      await this.attest(voter, state, hotkeys(due), url)
    }
    const [, second] = this.voters
    const shared = this.buckets.at(SHARED).files
    for (const [path, bytes] of this.buckets.at(second?.hotkey ?? '').files) shared.set(path, bytes)
    if (second) await this.own(second, SHARED)
    await this.end(state)
    const [decided] = await this.recompute({ from: state })
    if (decided === undefined) throw new Error('the epoch has not ended')
    this.#publish(decided.state)
    this.state = decided.state
  }

  /** The second bucket has rubbish in the place of a state. */
  #publish(state: State): void {
    const bytes = new TextEncoder().encode(encodeState(state))
    for (const [i, { hotkey }] of this.voters.entries()) {
      const isRubbish = i === 1 && state.epoch === 4
      const { files } = this.buckets.at(hotkey)
      files.set(statePath(state.epoch), isRubbish ? new Uint8Array(9) : bytes)
    }
  }

  async #setWeights(): Promise<void> {
    const sent = this.voters.map((voter, i) => this.chain.setWeights(voter, [[i < 3 ? 4 : 1, 1]]))
    await this.chain.produce(0)
    await Promise.all(sent)
  }
}

const history = new History()
let root: string
let chain: string

beforeAll(async () => {
  await history.make()
  root = await mkdtemp(join(tmpdir(), 'stretches-'))
  chain = await writeSubnet(history, root)
})
afterAll(async () => {
  await killAll()
  await rm(root, { recursive: true })
})

/** The chain, if weights waited there for a tempo. */
function waiting(): Chain {
  const snapshot = async (block: number) => ({
    ...(await history.chain.snapshot(block)),
    revealPeriod: 1,
  })
  return new Proxy(history.chain, {
    get: (target, name) => {
      const value = name === 'snapshot' ? snapshot : Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

test.each([
  ['weights are in force at once', () => history.chain, [0, 0, 1, 1, 1, 4, 1, 1]],
  ['weights wait', waiting, [0, 0, 1, 1, 1, 1, 1, 1]],
])('a stretch finds what a run in one piece finds, where %s', async (_, chainOf, warned) => {
  const data = { chain: chainOf(), network: LOCAL_NETWORK, openBucket: history.buckets.open }
  const whole = await history.recompute(data)
  const codes = (epoch: number) => new Set(whole[epoch]?.flaws.map(({ code }) => code))
  expect(codes(3)).toEqual(new Set(['COPY_MISSING', 'STATE_DIFFERS']))
  expect(codes(5)).toEqual(new Set(['COPY_MISSING']))
  expect(whole.map(({ warnings }) => warnings.length)).toEqual(warned)
  expect(new Set(whole.map(({ before }) => before.champion?.hotkey)).size).toBe(3)
  for (let first = 0; first <= LAST; first++) {
    const beginning = await beginningAt(data, first)
    const stretch = await history.recompute({ ...data, ...beginning })
    expect(stretch).toEqual(whole.slice(first))
  }
})

test('refuses to end before it begins, or with an epoch that has not ended', async () => {
  await expect(history.recompute({ to: 8 })).rejects.toThrow(
    new RangeError('epoch 8 has not ended, the last that has is 7'),
  )
  const from = history.state
  if (from === undefined) throw new Error('no state')
  await expect(history.recompute({ from, to: 7 })).rejects.toThrow(
    new RangeError('epoch 7 comes before the one to begin with, 8'),
  )
})

test('of each block as many copies are compared as asked', async () => {
  const flaws = async (copies: string) => {
    const words = [root, '--network', chain, '--copies', copies, '--json']
    const { stdout } = await run(AF_VERIFY, words)
    const records = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    return records.filter(({ type }) => type === 'flaw').map(({ code }) => code)
  }
  expect(await flaws('0')).toEqual(['STATE_DIFFERS'])
  const all = await flaws('99')
  expect(all).toHaveLength(17)
  const some = await flaws('1')
  expect(some.length).toBeLessThan(17)
})

describe('files of stretches', () => {
  const verify = (...words: readonly string[]) =>
    run(AF_VERIFY, [root, '--network', chain, ...words])
  /** What a run in one piece says. */
  let whole: Ended
  const joined = (...words: readonly string[]) => run(AF_VERIFY, ['join', ...words], { cwd: root })
  const FILES = ['0.json', '2.json', '4.json', '6.json']

  /** Verifies the two epochs from each of these on, four at a time. */
  function verifyAll(...firsts: readonly number[]): void {
    const command =
      `${process.execPath} ${AF_VERIFY} . --network ${chain} --jobs 1 ` +
      '--from-epoch {} --to-epoch $(({} + 1)) --json > {}.json'
    const words = ['-P', '4', '-I', '{}', 'sh', '-c', command]
    spawnSync('xargs', words, { cwd: root, input: firsts.join('\n') })
  }

  beforeAll(async () => {
    verifyAll(0, 2, 4, 6)
    whole = await verify()
  })

  test('are joined to what a run in one piece says, in whatever order', async () => {
    expect(whole.code).toBe(1)
    expect(await joined(...FILES)).toEqual(whole)
    expect(await joined(...[...FILES].reverse())).toEqual(whole)
    expect(await joined(...FILES, '--json')).toEqual(await verify('--json'))
  })

  test('of which not all copies were compared do not make a whole, as one run does not', async () => {
    const few = await verify('--copies', '0')
    const text = await readFile(join(root, '2.json'), 'utf8')
    const words = ['--from-epoch', '2', '--to-epoch', '3', '--copies', '0', '--json']
    const { stdout } = await verify(...words)
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ type: 'begin', copies: 0 })
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ type: 'begin', copies: 'all' })
    await writeFile(join(root, 'few.json'), stdout)
    const mixed = await joined('0.json', 'few.json', '4.json', '6.json')
    expect(mixed.stdout).toContain('Not all copies of blocks were compared in epochs 2 to 3.\n')
    expect(few.stdout).toContain('Not all copies of blocks were compared in epochs 0 to 7.\n')
    for (const { stdout } of [mixed, few]) expect(stdout).not.toContain('Everything holds')
  })

  test('one that was killed is refused, and can be run again', async () => {
    const words = [root, '--network', chain, '--from-epoch', '2', '--to-epoch', '3', '--json']
    const killed = start(AF_VERIFY, words)
    await killed.says(/"type":"begin"/)
    const { code, stdout } = await killed.stop('SIGKILL')
    expect(code).toBeNull()
    await writeFile(join(root, '2.json'), stdout)
    const refused = await joined(...FILES)
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toBe(
      'af-verify join: 2.json has no end, so its run was cut short: verify these epochs again\n',
    )
    verifyAll(2)
    expect(await joined(...FILES)).toEqual(whole)
  })

  test('are what the Kubernetes job makes of them, once however often it is run', async () => {
    const text = await readFile(new URL('../deploy/verify-job.yaml', import.meta.url), 'utf8')
    const job = parse(text)
    new Job(job).validate()
    const { env, command, args } = job.spec.template.spec.containers[0]
    const [bin, results] = ['bin', 'results'].map((name) => join(root, name)) as [string, string]
    for (const folder of [bin, results]) await mkdir(folder)
    const shim = join(bin, 'af-verify')
    const program = `exec ${process.execPath} ${AF_VERIFY} ${root} "$@"`
    await writeFile(shim, `#!/bin/sh\necho run >> ${join(root, 'runs')}\n${program}\n`)
    await chmod(shim, 0o755)
    const set = { FIRST: '0', SPAN: '2', NETWORK: chain, RESULTS: results }
    expect(Object.keys(set).sort()).toEqual(env.map(({ name }: { name: string }) => name).sort())
    const pod = (index: number, more = {}) => {
      const place = { PATH: `${bin}:${process.env.PATH}`, JOB_COMPLETION_INDEX: String(index) }
      return spawnSync(command[0], [...command.slice(1), ...args], {
        env: { ...set, ...place, ...more },
      }).status
    }
    for (const index of [0, 1, 2, 3, 3]) expect(pod(index)).toBe(0)
    expect(pod(4)).not.toBe(0)
    expect(pod(0, { SPAN: '9', RESULTS: root, FIRST: '1' })).not.toBe(0)
    const files = FILES.map((name) => join(results, name))
    expect(await joined(...files)).toEqual(whole)
    expect((await readFile(join(root, 'runs'), 'utf8')).split('\n')).toHaveLength(6 + 1)
  })

  test('form no history with a gap, an overlap, or without the first', async () => {
    const why = async (...files: readonly string[]) => (await joined(...files)).stderr
    expect(await why('0.json', '4.json')).toBe(
      'af-verify join: 4.json: begins with epoch 4: no file has epoch 2\n',
    )
    expect(await why('0.json', '0.json')).toBe(
      'af-verify join: 0.json: begins with epoch 0, which 0.json also has\n',
    )
    expect(await why('2.json', '4.json')).toBe(
      "af-verify join: 2.json: begins with epoch 2, not with the network's first: " +
        'give the files of all earlier epochs too\n',
    )
    expect(await why('nowhere.json')).toContain('nowhere.json')
    expect(await why()).toContain("missing required argument 'files'")
  })

  /** What is said of the second file once this is done to its text. */
  async function saidOf(alter: (text: string) => string): Promise<string> {
    const text = await readFile(join(root, '2.json'), 'utf8')
    const altered = alter(text)
    expect(altered).not.toBe(text)
    await writeFile(join(root, 'altered.json'), altered)
    const { code, stdout, stderr } = await joined('0.json', 'altered.json', '4.json', '6.json')
    expect([code, stdout]).toEqual([2, ''])
    return stderr.replace('af-verify join: altered.json', '').trim()
  }
  const line = (number: number, alter: (line: string) => string) => (text: string) =>
    text
      .split('\n')
      .map((each, i) => (i === number - 1 ? alter(each) : each))
      .join('\n')
  const HASH = 'ab'.repeat(32)

  test.each([
    [
      'a figure',
      line(2, (text) => text.replace('"played":', '"played":1')),
      /, line \d+: this line or one/,
    ],
    [
      'its end',
      (text: string) => text.replace('"warnings":2', '"warnings":3'),
      /, line \d+: expected/,
    ],
    [
      'the digest',
      (text: string) => text.replace(/.{9}"}\n$/, `${'0'.repeat(9)}"}\n`),
      /: this line or one/,
    ],
    [
      'the network',
      line(1, (text) => text.replace('"netuid":120', '"netuid":121')),
      /: this line or one/,
    ],
    [
      'an epoch is missing',
      line(2, () => ''),
      ', line 2 is no record of a run with --json: it has no known type',
    ],
    [
      'an epoch is of another',
      line(2, (text) => text.replace('"epoch":2', '"epoch":3')),
      ', line 2: expected epoch 2, got 3',
    ],
    [
      'no beginning',
      (text: string) => text.slice(text.indexOf('\n') + 1),
      ', line 1: expected the first line of a run, got epoch',
    ],
    [
      'something after its end',
      (text: string) => text + text,
      /, line \d+: expected no line after/,
    ],
    [
      'a field that is none',
      line(1, (text) => text.replace('{', `{"root2":"${HASH}",`)),
      ', line 1 is no record of a run with --json: line: unrecognized_keys',
    ],
    ['no text', () => '', 'is empty: verify these epochs again'],
  ])('a file is refused that was altered: %s', async (_, alter, why) => {
    expect(await saidOf(alter)).toEqual(typeof why === 'string' ? why : expect.stringMatching(why))
  })
})
