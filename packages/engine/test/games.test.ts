import { readFile } from 'node:fs/promises'
import type { ChallengePair } from '@affine/blocks'
import { account } from '@affine/chain'
import { make, replayGame } from '@affine/envs'
import {
  endpointAgents,
  type MinerAgent,
  type MinerEvent,
  removeReplies,
  StopError,
} from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { leadIn, pairsOf } from '../../../packages/blocks/test/play-plan.ts'
import { type Answer, completion, serve } from '../../../packages/miners/test/servers.ts'
import { Clock } from '../../../test/simulate/clock.ts'
import { testPaths } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { awaitStart } from '../src/games.ts'
import { type LaneTask, sampleLane } from '../src/sampling.ts'
import {
  CHAMPION,
  CLOCK_MS,
  CONTENDER,
  HEX,
  MULT8,
  minerOf,
  replying,
  SECRET,
  scopeOf,
  taskOf,
} from './lanes.ts'

const SAMPLING_MS = 10 * CLOCK_MS
const NO_REPLY = { fault: 'no-reply' } as const
const json = { 'content-type': 'application/json' }
const freshJournal = testPaths('games')

afterAll(closeServers)

/** Never replies before the end of the call. */
const silent: MinerAgent = (_, call) =>
  new Promise((resolve) => {
    if (call?.end.aborted) resolve(NO_REPLY)
    call?.end.addEventListener('abort', () => resolve(NO_REPLY))
  })
const byRole =
  (champion: MinerAgent, contender: MinerAgent): LaneTask['agent'] =>
  ({ hotkey }) =>
    hotkey === CHAMPION ? champion : contender

interface Sampling extends Partial<LaneTask> {
  /** The quota of each contender, by environment. */
  readonly quota?: Readonly<Record<string, number>>
  readonly contenders?: readonly string[]
  readonly time?: Clock
  readonly samplingMs?: number
  readonly endsAt?: number
}

function runSampling(options: Sampling) {
  const { quota = { [HEX]: 1 }, contenders = [CONTENDER], time = new Clock(), ...rest } = options
  const { samplingMs = SAMPLING_MS, endsAt = SAMPLING_MS } = options
  const scope = scopeOf({}, Object.fromEntries(contenders.map((hotkey) => [hotkey, quota])))
  const gamesTime = { ...time, samplingMs, endsAt }
  return sampleLane(taskOf({ scope, journalPath: freshJournal(), gamesTime, ...rest }))
}

/** Samples a lane, and returns its games. Expects each game to equal its replay. */
async function gamesOf(options: Sampling): Promise<readonly ChallengePair[]> {
  const games = pairsOf((await runSampling(options)).samples)
  for (const game of games) expectWhole(game)
  return games
}

function expectWhole({ env, challengeId, champion, contender }: ChallengePair): void {
  const recorded = { champion: champion.messages, contender: contender.messages }
  const replayed = replayGame(make(env), challengeId, recorded)
  const resultOf = ({ reward, fault }: ChallengePair['champion']) => ({ reward, fault: !!fault })
  const value = { champion: resultOf(champion), contender: resultOf(contender) }
  expect(replayed).toMatchObject({ ok: true, value })
}

/** Returns the game of a lane with one game. */
async function gameOf(options: Sampling = {}): Promise<ChallengePair> {
  const [game, ...others] = await gamesOf(options)
  if (game === undefined || others.length > 0) throw new Error(`${others.length + 1} games`)
  return game
}

/** Returns an agent that calls a function with the index of the call before each reply. */
function counting(before: (index: number) => unknown): MinerAgent {
  let calls = 0
  return (messages) => {
    before(calls++)
    return replying(messages)
  }
}

/** Returns an agent that replies to `count` calls. All later calls get the reply of `then`. */
function replyTo(count: number, then: MinerAgent): MinerAgent {
  let calls = 0
  return (messages, call) => (calls++ < count ? replying : then)(messages, call)
}

/** Lets all tasks run that need neither time nor a reply. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

const replies = ({ messages }: ChallengePair['champion']): number =>
  messages.filter(({ role }) => role === 'assistant').length
const callsOf = ({ champion, contender }: ChallengePair): number =>
  replies(champion) + replies(contender)

describe('the clock of a side', () => {
  it('runs only for the replies of that side', async () => {
    const whole = await gameOf()
    const most = Math.max(replies(whole.champion), replies(whole.contender))
    const time = new Clock()
    // The two sides take nearly two clocks in total.
    const slow = counting(() => time.skip(Math.floor(CLOCK_MS / most)))
    const sample = await gameOf({ time, agent: byRole(slow, slow) })
    expect([sample.champion.fault, sample.contender.fault]).toEqual([undefined, undefined])
    expect(time.now()).toBeGreaterThan(CLOCK_MS)
  })

  it.each([
    ['covers all replies of that side', CLOCK_MS / 2, 2],
    ['ignores replies after it has run out', CLOCK_MS + 1, 0],
  ])('%s', async (_, ms, count) => {
    const time = new Clock()
    const slow = counting(() => time.skip(ms))
    const sample = await gameOf({ time, agent: byRole(replying, slow) })
    expect(sample.contender).toMatchObject({ fault: 'no-reply', reward: -1 })
    expect(replies(sample.contender)).toBe(count)
  })

  it('is a sixth of sampling if that is shorter', async () => {
    const samplingMs = 2 * CLOCK_MS
    const time = new Clock()
    const [inTime, late] = [samplingMs / 6, samplingMs / 6 + 1].map((ms) =>
      counting((index) => index === 0 && time.skip(ms)),
    )
    const agent = byRole(inTime ?? replying, late ?? replying)
    const sample = await gameOf({ time, agent, samplingMs })
    expect([sample.champion.fault, sample.contender.fault]).toEqual([undefined, 'no-reply'])
  })

  const seconds = CLOCK_MS / 1000
  const reasonsIn = (events: readonly MinerEvent[]): readonly string[] =>
    events.flatMap((event) => ('reason' in event ? [event.reason] : []))
  it.each<[does: string, by: (time: Clock) => Answer, reasons: string[], text: string]>([
    [
      'refuses all calls',
      () => (_, __, response) => response.writeHead(503).end('no GPU'),
      ['5xx', '5xx', '5xx', 'clock'],
      'status 503, "no GPU"',
    ],
    [
      'never answers',
      (time) => () => time.skip(CLOCK_MS),
      ['late', 'clock'],
      `in the remaining ${seconds} s`,
    ],
  ])('loses the game of a miner that %s, and reports why', async (_, by, reasons, text) => {
    const time = new Clock()
    const { url } = await serve(by(time))
    const events: MinerEvent[] = []
    const on = (event: MinerEvent): void => {
      events.push(event)
      if (reasonsIn(events).length === 3) time.skip(CLOCK_MS)
    }
    const asking = endpointAgents({ ...NODE_CALLER, now: time.now, concurrency: 8, on })
    const agent: LaneTask['agent'] = (miner, ...args) =>
      miner.hotkey === CONTENDER ? asking(miner, ...args) : replying
    const miners = [CHAMPION, CONTENDER].map((hotkey) => minerOf(hotkey, { chute: url }))
    const sample = await gameOf({ time, agent, miners, samplingMs: 10 * SAMPLING_MS })
    expect(sample.contender).toMatchObject({ fault: 'no-reply', reward: -1 })
    expect(reasonsIn(events)).toEqual(reasons)
    const problems = events.flatMap((event) => (event.type === 'problem' ? [event.error] : []))
    const message = expect.stringContaining(text)
    expect(problems).toEqual([expect.objectContaining({ code: reasons[0], message })])
  })

  it('continues while a reply with a used id is requested again', async () => {
    const time = new Clock()
    const repeating: MinerAgent = async (messages, call) => {
      time.skip(CLOCK_MS / 3)
      if (call?.end.aborted) return NO_REPLY
      return { ...(await replying(messages)), invocation: 'always the same' }
    }
    const sample = await gameOf({ time, agent: byRole(replying, repeating) })
    expect(sample.contender.fault).toBe('no-reply')
    expect(replies(sample.contender)).toBe(1)
  })
})

describe('a game', () => {
  it('starts only if both clocks fit before sampling ends', async () => {
    const asking = vi.fn(replying)
    const agent = byRole(asking, asking)
    const sample = await gameOf({ agent, endsAt: 2 * CLOCK_MS - 1 })
    const none = { messages: [], reward: -1, fault: 'no-reply' }
    expect(sample).toMatchObject({ champion: none, contender: none })
    expect([sample.champion.miner, sample.contender.miner]).toEqual([CHAMPION, CONTENDER])
    expect(asking).not.toHaveBeenCalled()
    const begun = await gameOf({ agent, endsAt: 2 * CLOCK_MS })
    expect(asking).toHaveBeenCalledTimes(callsOf(begun))
  })

  it('does not start if neither miner may be asked, and is won by the only miner that may be asked', async () => {
    const of = async (refused: readonly string[]) => {
      const mayAsk: LaneTask['mayAsk'] = async ({ hotkey }) => !refused.includes(hotkey)
      const agentOf = (hotkey: string) => (refused.includes(hotkey) ? () => NO_REPLY : replying)
      const agent = byRole(agentOf(CHAMPION), agentOf(CONTENDER))
      return (await gamesOf({ quota: { [HEX]: 4 }, agent, mayAsk })).map(leadIn)
    }
    expect(await of([CHAMPION, CONTENDER])).toEqual(Array(4).fill(0))
    expect(await of([CHAMPION])).toEqual(Array(4).fill(2))
    expect(await of([CONTENDER])).toEqual(Array(4).fill(-2))
  })

  it('is lost by the mover if the end of sampling interrupts it', async () => {
    const whole = await gameOf()
    for (let at = 0; at < callsOf(whole); at += 5) {
      const phase = new AbortController()
      const end = replyTo(at, (...call) => {
        phase.abort()
        return silent(...call)
      })
      const sample = await gameOf({ agent: byRole(end, end), deadline: phase.signal })
      expect(callsOf(sample)).toBe(at)
      const faults = [sample.champion, sample.contender].filter(({ fault }) => fault === 'no-reply')
      expect(faults.map(({ reward }) => reward)).toEqual([-1])
      expect(leadIn(sample)).not.toBe(0)
    }
  })

  it('is played again, if it still fits, after a stop or a kill between any two moves', async () => {
    const whole = await gameOf()
    for (let at = 0; at < callsOf(whole); at += 3) {
      for (const isStopped of [true, false]) {
        const journalPath = freshJournal()
        const phase = new AbortController()
        const breaking = replyTo(at, (...call) => {
          if (!isStopped) throw new Error('killed')
          phase.abort(new StopError('stopped'))
          return silent(...call)
        })
        const agent = byRole(breaking, breaking)
        const broken = runSampling({ agent, deadline: phase.signal, journalPath })
        await expect(broken).rejects.toThrow(isStopped ? 'stopped' : 'killed')
        const hasRoom = at % 2 === 0
        const endsAt = hasRoom ? 2 * CLOCK_MS : CLOCK_MS
        const sample = await gameOf({ endsAt, journalPath })
        if (hasRoom) expect(sample).toEqual(whole)
        else expect([callsOf(sample), leadIn(sample)]).toEqual([0, 0])
        const lines = (await readFile(journalPath, 'utf8')).trimEnd().split('\n')
        expect(lines.length).toBe(2)
      }
    }
  })
})

describe('the time at which a validator begins to sample', () => {
  const samplingMs = 1_000_000
  const never = new AbortController().signal
  /** Returns the time at which `awaitStart` resolves, by a clock that begins at `nowMs`. */
  const startAt = async (secret: string, nowMs = 0, deadline = never): Promise<number> => {
    const time = new Clock()
    time.skip(nowMs)
    await time.pass(awaitStart(secret, { ...time, samplingMs, endsAt: samplingMs }, deadline))
    return time.now()
  }

  it('is in the first tenth of the time for sampling, and depends on the secret', async () => {
    const secrets = ['1', '2', '3', '4'].map((digit) => digit.repeat(64))
    const starts = await Promise.all(secrets.map((secret) => startAt(secret)))
    expect(new Set(starts).size).toBe(4)
    expect(Math.min(...starts)).toBeGreaterThan(0)
    expect(Math.max(...starts)).toBeLessThanOrEqual(samplingMs / 10)
    expect(await Promise.all(secrets.map((secret) => startAt(secret)))).toEqual(starts)
  })

  it('is now if that tenth is over or the time for sampling has ended', async () => {
    expect(await startAt(SECRET, samplingMs / 10)).toBe(samplingMs / 10)
    expect(await startAt(SECRET, 0, AbortSignal.abort())).toBe(0)
    const phase = new AbortController()
    const begun = startAt(SECRET, 0, phase.signal)
    phase.abort()
    expect(await begun).toBe(0)
  })
})

describe('the games of a lane', () => {
  const OTHER = account(new Uint8Array(32).fill(10)).hotkey

  it('run two at a time for each contender with 64 games', async () => {
    const waiting: { readonly hotkey: string; readonly end: () => void }[] = []
    const most: Record<string, number> = {}
    let mostAtOnce = 0
    const heldUp =
      (hotkey: string): MinerAgent =>
      async () => {
        await new Promise<void>((end) => waiting.push({ hotkey, end }))
        return { content: 'I resign.' }
      }
    const contenders = [CONTENDER, OTHER]
    const agent: LaneTask['agent'] = ({ hotkey }) =>
      hotkey === CHAMPION ? replying : heldUp(hotkey)
    const games = gamesOf({ quota: { [HEX]: 64 }, contenders, agent })
    for (let ended = 0; ended < 128; ended++) {
      while (waiting.length === 0) await new Promise(setImmediate)
      await settle()
      for (const hotkey of contenders) {
        const pending = waiting.filter((each) => each.hotkey === hotkey).length
        most[hotkey] = Math.max(most[hotkey] ?? 0, pending)
      }
      mostAtOnce = Math.max(mostAtOnce, waiting.length)
      waiting.shift()?.end()
    }
    expect((await games).length).toBe(128)
    expect(most).toEqual({ [CONTENDER]: 2, [OTHER]: 2 })
    expect(mostAtOnce).toBe(4)
  })

  it('take their turns only after the deployment checks of both miners', async () => {
    const time = new Clock()
    const phase = new AbortController()
    const answers: (() => void)[] = []
    const mayAsk: LaneTask['mayAsk'] = async ({ hotkey }) =>
      hotkey !== CONTENDER || new Promise((resolve) => answers.push(() => resolve(true)))
    const asking = vi.fn(silent)
    const agent = byRole(asking, asking)
    const run = gamesOf({ quota: { [HEX]: 64 }, time, deadline: phase.signal, agent, mayAsk })
    while (answers.length < 64) await new Promise(setImmediate)
    for (let quarter = 0; quarter < 4; quarter++) {
      await settle()
      time.skip(CLOCK_MS / 4)
    }
    expect(asking).not.toHaveBeenCalled()
    for (const answer of answers) answer()
    while (asking.mock.calls.length < 2) await new Promise(setImmediate)
    await settle()
    expect(asking).toHaveBeenCalledTimes(2)
    phase.abort()
    expect((await run).length).toBe(64)
  })

  it('precede other waiting calls within the common limit', async () => {
    let pending = 0
    let mostPending = 0
    const answer: Answer = (_, __, response, body) => {
      mostPending = Math.max(mostPending, ++pending)
      response.once('close', () => {
        pending -= 1
      })
      const { content } = Object(replying(JSON.parse(body).messages))
      setTimeout(() => response.writeHead(200, json).end(completion(content)), 5)
    }
    const { url, seen } = await serve(answer)
    // Each contender has a running game: one of three calls waits.
    const contenders = [CONTENDER, OTHER, account(new Uint8Array(32).fill(11)).hotkey]
    await runSampling({
      agent: endpointAgents({ ...NODE_CALLER, concurrency: 2 }),
      contenders,
      miners: [CHAMPION, ...contenders].map((hotkey) => minerOf(hotkey, { chute: url })),
      quota: { [MULT8]: 12, [HEX]: 3 },
    })
    // Games start with the first replies of their players.
    const begun = seen.findIndex(({ body }) => body.includes('Hex'))
    const first = seen.slice(begun, begun + 40).filter(({ body }) => !body.includes('Hex'))
    expect(first.length).toBeLessThanOrEqual(2)
    expect(mostPending).toBe(2)
  })
})

describe('a game with changed deployments', () => {
  const playWithChanges = async (hotkeys: readonly string[], options: Sampling = {}) => {
    const samples = await gamesOf({ quota: { [HEX]: 16 }, ...options })
    const without = await Promise.all(samples.map((sample) => removeReplies(sample, hotkeys)))
    const games = pairsOf(without)
    for (const game of games) expectWhole(game)
    return games.map((after, i) => ({ before: samples[i] as ChallengePair, after }))
  }

  it('ends at the first prompt of the miner whose deployment changed, which loses the game', async () => {
    for (const { before, after } of await playWithChanges([CONTENDER])) {
      const isFirst = before.contender.messages.length >= before.champion.messages.length
      expect(after.contender).toMatchObject({ fault: 'no-reply', reward: -1 })
      expect(after.contender.messages.length).toBe(1)
      expect(leadIn(after)).toBe(-2)
      if (after.champion.messages.length === 0) expect(isFirst).toBe(true)
      else expect(after.champion.messages).toEqual(before.champion.messages.slice(0, 2))
    }
  })

  it('counts as unbegun if both deployments changed', async () => {
    for (const { after } of await playWithChanges([CHAMPION, CONTENDER])) {
      expect(after.champion).toMatchObject({ ...NO_REPLY, messages: [] })
      expect(after.contender).toMatchObject({ ...NO_REPLY, messages: [] })
      expect(leadIn(after)).toBe(0)
    }
  })

  it('is unchanged if the miner whose deployment changed had not replied', async () => {
    const agent = byRole(() => NO_REPLY, replying)
    const stands: boolean[] = []
    for (const { before, after } of await playWithChanges([CONTENDER], { agent })) {
      const hadReply = before.contender.messages.length > 0
      stands.push(!hadReply)
      if (!hadReply) expect(after).toEqual(before)
      else expect(after.contender).toMatchObject({ fault: 'no-reply', reward: -1 })
    }
    expect(new Set(stands)).toEqual(new Set([true, false]))
  })
})
