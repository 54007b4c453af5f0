import { execFileSync } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { ChainError, remoteChain } from '@affine/chain'
import type { State } from '@affine/duel'
import type { Event, Problem, ValidatorTask } from '@affine/engine'
import { MinerError } from '@affine/miners'
import { AlteredFile } from '@affine/node/disk'
import { stripTones } from '@affine/report'
import { LOCAL_NETWORK } from '@affine/settlement'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { captureOutput } from '../../../packages/terminal/test/within.ts'
import { runAf } from '../../../test/in-process.ts'
import { AF, killAll, type RunningProcess, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { createProblemFilter, narrate, printProblem } from '../src/service/narrate.ts'
import { createMasker } from '../src/service/secrets.ts'
import { createServiceOutput } from '../src/service/service-output.ts'
import { findUnprintable, parseRecords, recordScreen, servingOf, writeIn } from './commands.ts'

/** Code that changes the file system of a process: reads of states never end. */
const STUCK = `
  const { promises } = process.getBuiltinModule('node:fs')
  const { realpath } = promises
  promises.realpath = (path) =>
    String(path).includes('states') ? new Promise(() => {}) : realpath(path)
  process.getBuiltinModule('node:module').syncBuiltinESMExports()
`
const CLOCK = new URL('./clock.mjs', import.meta.url).href

describe('the output of a service', () => {
  const mask = (text: string): string => text.replaceAll('s3cret', '****')
  const error = new Error('s3cret \u001b[2J\u202e')
  async function printEvents(isTTY: boolean, json: boolean): Promise<string> {
    const { isTTY: before, columns } = process.stdout
    Object.assign(process.stdout, { isTTY, columns: 80 })
    const { stdout } = await captureOutput(async () => {
      const screen = createServiceOutput(json, mask)
      narrate({ type: 'state', state: { epoch: 3 } as State }, screen, String)
      narrate({ type: 'sent', task: { kind: 'seal', epoch: 3 }, block: 9 }, screen, String)
      narrate({ type: 'problem', task: { kind: 'head' }, error }, screen, String)
      screen.line('! mind this', { type: 'warning', text: 'mind this' })
      screen.line('one\ntwo', { type: 'epoch', stake: 10n ** 20n, odd: '\u009b\u2028é' })
      narrate({ type: 'sample', epoch: 3, left: 1 } as Event, screen, String)
    })
    Object.assign(process.stdout, { isTTY: before, columns })
    return stdout
  }
  it('is text in a terminal', async () => {
    const frames = (await printEvents(true, false)).split('\r\x1b[K').filter(Boolean)
    const lines = frames.map(stripVTControlCharacters)
    await expect(`${lines.join('')}\n`).toMatchFileSnapshot('snapshots/service.txt')
  })
  it.each([
    [false, false],
    [true, true],
    [false, true],
  ])('is a JSON log if isTTY is %s and --json is %s', async (isTTY, json) => {
    const text = await printEvents(isTTY, json)
    expect(findUnprintable(text)).toEqual([])
    expect(text).not.toContain('s3cret')
    const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/)
    const [info, sent] = [
      { level: 'info', time },
      { task: { kind: 'seal', epoch: 3 }, block: 9 },
    ]
    const problem = { task: { kind: 'head' }, code: 'Error', message: '**** \u001b[2J\u202e' }
    const large = { stake: `${10n ** 20n}`, odd: '\u009b\u2028é' }
    expect(parseRecords(text)).toEqual([
      { ...info, type: 'state', epoch: 3, msg: expect.stringContaining('state of epoch 3') },
      { ...info, type: 'sent', ...sent, msg: expect.stringContaining('block 9') },
      { level: 'error', time, type: 'problem', ...problem, msg: 'the head: **** �' },
      { level: 'warn', time, type: 'warning', text: 'mind this', msg: 'mind this' },
      { ...info, type: 'epoch', ...large, msg: 'one' },
    ])
  })

  it('masks a secret with characters that JSON escapes, also in a text that contains JSON', async () => {
    const secret = 'ab"cd\\ef'
    const error = new Error(`${secret} ${JSON.stringify(secret)} ${JSON.stringify({ secret })}`)
    const screen = createServiceOutput(true, createMasker([secret]))
    const { stdout } = await captureOutput(async () =>
      narrate({ type: 'problem', task: { kind: 'node' }, error }, screen, String),
    )
    const message = '**** "****" {"secret":"****"}'
    expect(JSON.parse(stdout)).toMatchObject({ message, msg: expect.stringContaining(message) })
  })
})

const HEAD = { kind: 'head' } as const
const problem = (task: ValidatorTask, error: Error) => ({ type: 'problem', task, error }) as const
const miner = (port: number): ValidatorTask => ({
  kind: 'miner',
  model: 'm',
  chute: `http://127.0.0.1:${port}/v1`,
})

it('prints a problem that occurs at every block once in ten minutes', () => {
  let now = 0
  const isDue = createProblemFilter(() => now)
  const seconds: number[] = []
  for (; now <= 1_300_000; now += 10_000)
    if (isDue(problem({ kind: 'seal', epoch: now }, new Error(`block ${now}`))))
      seconds.push(now / 1000)
  expect(seconds).toEqual([0, 600, 1200])
})

const x = new Error('x')
const refusal = (status: number) => problem(miner(1), new MinerError('status', 'x', status))
const altered = (fault: string) => problem(HEAD, new AlteredFile('x', fault, 'x'))
const caused = (code: string) => new Error('x', { cause: Object.assign(new Error(), { code }) })
const lane = (hotkey: string) => problem({ kind: 'lane', epoch: 1, hotkey }, x)
const node = (node: string) =>
  problem({ kind: 'node' }, new ChainError('Unreachable', 'x', { node }))
const weights = problem({ kind: 'weights', epoch: 1 }, x)
it.each<[string, Problem, Problem]>([
  ['two miners', problem(miner(8001), x), problem(miner(8002), x)],
  ['two statuses of a miner', refusal(404), refusal(500)],
  ['the lanes of two validators', lane('5A'), lane('5B')],
  ['two codes', problem(HEAD, new ChainError('Stale')), problem(HEAD, new ChainError('BadProof'))],
  ['two nodes of the chain', node('ws://a'), node('ws://b')],
  ['two causes', problem(HEAD, caused('EIO')), problem(HEAD, caused('ENOSPC'))],
  ['two altered files', altered('NOT_UTF8'), altered('OTHER_LANE')],
  ['a refusal and another failure', { ...weights, phase: 'send' }, weights],
])('prints the problems of %s separately and immediately', (_, ...problems) => {
  const isDue = createProblemFilter(() => 0)
  expect(problems.map(isDue)).toEqual([true, true])
  expect(problems.map(isDue)).toEqual([false, false])
})

it('remembers at most 100 problems', () => {
  const isDue = createProblemFilter(() => 0)
  for (let port = 1; port <= 101; port++) expect(isDue(problem(miner(port), x))).toBe(true)
  expect(isDue(problem(miner(1), x))).toBe(true)
  expect(isDue(problem(miner(101), x))).toBe(false)
})

it.each([
  ['AncientBirthBlock', 'warning'],
  ['Stale', 'warning'],
  ['SpaceLimitExceeded', 'warning'],
  ['SettingWeightsTooFast', 'warning'],
  ['DrandBehind', 'warning'],
  ['BadProof', 'problem'],
  ['HotKeyNotRegisteredInSubNet', 'problem'],
])('reports %s, a refusal, as a %s', (code, type) => {
  const screen = recordScreen()
  const task = { kind: 'attest', epoch: 7 } as const
  printProblem({ ...problem(task, new ChainError(code)), phase: 'send' }, screen)
  const record = expect.objectContaining({ type, task, phase: 'send', code })
  expect(screen.line.mock.calls).toEqual([[expect.anything(), record]])
})

it('prints a problem on one line, escaped for the terminal', () => {
  const screen = recordScreen()
  const task = { kind: 'miner', model: 'me/\u001b[2J\nmine\u202e', chute: 'c' } as const
  for (const error of [new MinerError('status', 'x', 404), new ChainError('Stale')])
    printProblem(problem(task, error), screen)
  const printed = screen.line.mock.calls.map(([lines]) => stripTones(lines))
  expect(printed).toHaveLength(2)
  expect(printed.join('')).not.toMatch(/\p{C}/u)
})

describe('af validate', () => {
  const root = testFolder('operating')
  let chain: RunningProcess
  let url: string
  let runs = 0
  beforeAll(async () => {
    const words = '--port 0 --block-ms 50 --validators 1 --miners 1 --json --out'.split(' ')
    chain = start(AF, ['localnet', ...words, join(root, 'net')])
    ;({ url } = await servingOf(chain))
    for await (const { number } of (await remoteChain(url, { fetch })).heads())
      if (number > LOCAL_NETWORK.protocol.epochBlocks) break
  })
  afterAll(killAll)

  const validate = (words: string, env = {}): RunningProcess => {
    const own = `--key net/keys/validator-1 --folder v${runs++} --buckets b`
    const line = `validate --network ${url} ${own} ${words}`.trim()
    return start(AF, line.split(' '), { cwd: root, env })
  }
  /** Returns the URL of a validator's pages. */
  const pagesOf = async ({ says }: RunningProcess): Promise<string> =>
    (await says(/"url":"([^"]+)"/))[1] ?? ''
  /** Returns the late event of the validator at `at`, and expects the HTTP status to agree. */
  const health = async (at: string): Promise<string | null> => {
    const response = await fetch(`${at}/healthz`)
    const { late } = await response.json()
    expect(response.status).toBe(late === null ? 200 : 503)
    return late
  }
  /** Returns the values of a validator's metrics by series. */
  const metrics = async (at: string): Promise<Record<string, number>> => {
    const text = await (await fetch(`${at}/metrics`)).text()
    const lines = text.split('\n').filter((line) => /^affine_/.test(line))
    return Object.fromEntries(
      lines.map((line) => [line.replace(/ [^ ]+$/, ''), Number(/[^ ]+$/.exec(line)?.[0])]),
    )
  }
  /** Resolves once the validator at `at` has seen a block. */
  const sees = async (at: string): Promise<void> => {
    while (!(await metrics(at)).affine_head_block) await sleep(20)
  }
  /** Returns an environment in which only the test moves the clock of a process, by `clock.mjs`. */
  function movable(more: { NODE_OPTIONS?: string } = {}) {
    const file = join(root, `${runs++}.ahead`)
    const NODE_OPTIONS = `--import=${CLOCK} ${more.NODE_OPTIONS ?? ''}`
    /** Renames a new file, so that a partial number is never read. */
    const setAhead = async (ms: number) => rename(await writeIn(root, `${ms}`), file)
    return { env: { NODE_OPTIONS, AHEAD: file }, setAhead }
  }

  it('is unhealthy if no block comes for some time, and exits with 4 after twice that time', async () => {
    const { env, setAhead } = movable()
    const validator = validate('--metrics 0 --dry-run', env)
    const at = await pagesOf(validator)
    expect(await health(at)).toBeNull()
    await validator.says(/"type":"withheld","task":{"kind":"attest"/)
    expect((await metrics(at)).affine_head_block).toBeGreaterThan(0)
    chain.child.kill('SIGSTOP')
    onTestFinished(() => void chain.child.kill('SIGCONT'))
    let late = await health(at)
    // A pending block may arrive after the clock has moved.
    for (let ahead = 400_000; late === null; ahead += 400_000) {
      await setAhead(ahead)
      late = await health(at)
    }
    await setAhead(10_000_000)
    const { code, stdout } = await validator.ended
    expect(late).toBe('no-block')
    expect(code).toBe(4)
    const records = parseRecords(stdout)
    expect(records[0]).toMatchObject({ type: 'started', emit: false, url: at })
    expect(stdout).not.toContain('"type":"sent"')
    expect(records.at(-1)).toMatchObject({ level: 'error', code: 'stalled', late })
  })

  /** Returns an environment in which every process starts with this code. */
  async function preloadCode(code: string): Promise<{ NODE_OPTIONS: string }> {
    const mainOnly = `import { isMainThread } from 'node:worker_threads'\nif (isMainThread) {${code}}`
    return { NODE_OPTIONS: `--import=${await writeIn(root, mainOnly, `${runs++}.mjs`)}` }
  }

  // These tests mostly wait and can share the chain.
  describe.concurrent('that cannot continue or is stopped', () => {
    it('is killed if the disk hangs while it exits, after a stuck head task or at SIGTERM', async () => {
      const pipe = join(root, 'pipe')
      execFileSync('mkfifo', [pipe])
      const hanging = await preloadCode(`${STUCK} promises.open('${pipe}')`)
      const { env, setAhead } = movable(hanging)
      const stalled = validate('--metrics 0', env)
      const stopped = validate('', { ...hanging, AFFINE_GRACE: '0' })
      await sees(await pagesOf(stalled))
      await setAhead(700_000)
      await stopped.says(/"type":"started"/)
      for (const ended of [stalled.ended, stopped.stop('SIGTERM')]) {
        const { code, stderr } = await ended
        expect([code, stderr]).toEqual([null, 'a disk does not answer: killed\n'])
      }
      const last = { code: 'stalled', late: expect.stringMatching(/^no-/), seconds: 600 }
      expect(parseRecords(stalled.stdout()).at(-1)).toMatchObject(last)
    })

    it('reports failed nodes without the keys in their URLs, and exits with 4', async () => {
      const node = 'ws://127.0.0.1:1/my-own-node-key'
      const own = ['--key', 'net/keys/validator-1', '--folder', 'unused', '--buckets', 'b']
      const words = ['validate', '--network', `${node},${node}-2`, '--netuid', '1', ...own]
      const { code, stdout, stderr } = await runAf(words, { cwd: root })
      expect(code).toBe(4)
      const problems = parseRecords(stdout).filter(({ type }) => type === 'problem')
      const message = expect.stringContaining('127.0.0.1')
      const each = { level: 'error', task: { kind: 'node' }, code: 'Unreachable', message }
      expect(problems).toMatchObject([each, each])
      expect(stdout + stderr).not.toContain('my-own-node-key')
    })

    it('waits AFFINE_GRACE seconds at SIGTERM for pending tasks, unless a second signal arrives', async () => {
      const stuck = await preloadCode(STUCK)
      const [short, long, quick] = [
        validate('--metrics 0', { ...stuck, AFFINE_GRACE: '1' }),
        validate('--metrics 0', { ...stuck, AFFINE_GRACE: '900' }),
        validate('--metrics 0', { AFFINE_GRACE: '900' }),
      ]
      for (const validator of [short, long, quick]) {
        await sees(await pagesOf(validator))
        validator.child.kill('SIGTERM')
        await validator.says(/"type":"stopping"/)
      }
      expect((await short.ended).code).toBe(130)
      expect(await quick.ended).toMatchObject({ code: 130, stderr: '' })
      expect(long.child.exitCode).toBe(null)
      expect((await long.stop('SIGTERM')).code).toBe(null)
    })
  })
})
