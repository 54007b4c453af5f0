import { randomUUID } from 'node:crypto'
import { appendFile, readFile, truncate } from 'node:fs/promises'
import { createBlockReader, listEpisodes, planLane, type Sample, verifyLane } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { account, verify } from '@affine/chain'
import { endpointAgents, openChutes, playerReply, type TargetMiner } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { SYSTEM_CLOCK } from '@affine/settlement'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { pairsOf } from '../../../packages/blocks/test/play-plan.ts'
import {
  type Answer,
  answers,
  completion,
  described,
  type Handle,
  plays,
  published,
  sends,
  serve,
  serveChutes,
} from '../../../packages/miners/test/servers.ts'
import { testPaths } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { writeLane } from '../src/own-lane.ts'
import { type LaneTask, sampleLane } from '../src/sampling.ts'
import {
  CHAMPION,
  CONTENDER,
  HEX,
  headerOf,
  MULT8,
  minerOf,
  replying,
  SECRET,
  scopeOf,
  taskOf,
  VALIDATOR,
} from './lanes.ts'

const scope = scopeOf({ [MULT8]: 24, 'tictactoe@0.1.0': 24 })
const HOUR_MS = 3_600_000
const freshPath = testPaths('sampling')
let journalPath: string

beforeEach(() => {
  journalPath = freshPath()
})
afterAll(closeServers)

const honest =
  (skill: number): Answer =>
  (index, request, response, body) => {
    const reply = playerReply(JSON.parse(body).messages.at(-1).content, { skill, seed: '' })
    sends(200, completion(reply))(index, request, response, body)
  }

/** Starts the servers of both miners of the lane. */
async function minersOf(champion: Answer, contender: Answer) {
  const servers = { champion: await serve(champion), contender: await serve(contender) }
  const miners = [
    minerOf(CHAMPION, { model: 'first', chute: servers.champion.url }),
    minerOf(CONTENDER, { model: 'second', chute: servers.contender.url }),
  ]
  return { miners, seen: { champion: servers.champion.seen, contender: servers.contender.seen } }
}

const runSampling = (options: Partial<LaneTask> = {}) =>
  sampleLane(
    taskOf({
      ...{ scope, journalPath, now: Date.now },
      agent: endpointAgents({ ...NODE_CALLER, concurrency: 8 }),
      gamesTime: { ...SYSTEM_CLOCK, samplingMs: HOUR_MS, endsAt: performance.now() + HOUR_MS },
      ...options,
    }),
  )

/** Verifies the lane of these samples with `verifyLane`. */
async function verdictOn(samples: readonly Sample[]) {
  const store = directoryBucket(freshPath())
  const hashes = await writeLane({ ...headerOf(scope), samples }, store)
  const read = createBlockReader(store, verify)
  return verifyLane({ head: hashes.at(-1) ?? '', previous: headerOf(scope).prev, scope, read })
}

describe('a lane', () => {
  it('has every sample once, each on disk before its event, and is valid', async () => {
    const { miners } = await minersOf(honest(0.4), honest(0.9))
    const counts: number[] = []
    const reads: Promise<string>[] = []
    const on: LaneTask['on'] = (event) => {
      if (event.type !== 'sample') return
      counts.push(event.left)
      const { challengeId } = event.sample
      reads.push(
        readFile(journalPath, 'utf8').then((text) => (text.includes(challengeId) ? '' : 'lost')),
      )
    }
    const { samples, time } = await runSampling({ miners, on })
    expect(counts).toEqual(Array.from({ length: 96 }, (_, i) => 95 - i))
    expect((await Promise.all(reads)).join('')).toBe('')
    expect(Math.abs(time - Date.now())).toBeLessThan(60_000)
    const verdict = await verdictOn(samples)
    expect(verdict).toMatchObject({ ok: true })
    expect(samples.filter(({ env }) => env === MULT8).length).toBe(48)
  })

  it('continues at the end of its journal: no miner is asked again, and the samples are the same', async () => {
    const asking = vi.fn(replying)
    const agent = () => asking
    const first = await runSampling({ agent, now: () => 5 })
    const calls = asking.mock.calls.length
    expect(await runSampling({ agent, now: () => 7 })).toEqual(first)
    expect(asking).toHaveBeenCalledTimes(calls)

    const lines = (await readFile(journalPath, 'utf8')).trimEnd().split('\n')
    const gone = lines.slice(61).map((line) => JSON.parse(line).sample as Sample)
    await truncate(journalPath, Buffer.byteLength(`${lines.slice(0, 61).join('\n')}\n`))
    await appendFile(journalPath, '{"at":17') // torn by a crash
    const { samples, time } = await runSampling({ agent, now: () => 7 })
    expect([samples, time]).toEqual([first.samples, 7])
    const messages = gone.flatMap(listEpisodes).flatMap((episode) => episode.messages)
    expect(asking).toHaveBeenCalledTimes(calls + messages.length / 2)
    expect(await verdictOn(samples)).toMatchObject({ ok: true })
  })

  it('rejects the journal of another epoch, plan or chain, and does not change it', async () => {
    await runSampling({ agent: () => replying })
    const before = await readFile(journalPath, 'utf8')
    const others = [
      { epoch: 8 },
      { beacon: '00'.repeat(32) },
      { champion: VALIDATOR.hotkey },
      { quotas: { [CONTENDER]: { [MULT8]: 24 } } },
    ]
    const failIfCalled = async () => expect.fail('asked')
    for (const other of others) {
      const task = runSampling({ agent: () => failIfCalled, scope: { ...scope, ...other } })
      await expect(task).rejects.toMatchObject({ fault: 'OTHER_LANE' })
    }
    expect(await readFile(journalPath, 'utf8')).toBe(before)
  })
})

describe('a lane of several contenders', () => {
  const OTHER = account(new Uint8Array(32).fill(10)).hotkey
  const PACK = 'pack@0.1.0'
  const many = scopeOf(
    {},
    { [CONTENDER]: { [HEX]: 2, [MULT8]: 20, [PACK]: 9 }, [OTHER]: { [HEX]: 1, [MULT8]: 8 } },
  )
  /** Samples the lane, and lists the environment and the miner of each prompt, in their order. */
  async function recordQuestions(options: Partial<LaneTask> = {}) {
    const questions: string[] = []
    const agent: LaneTask['agent'] =
      ({ hotkey }) =>
      (messages) => {
        const prompt = messages.at(-1)?.content ?? ''
        const env = /^Hex/.test(prompt) ? HEX : /^Compute/.test(prompt) ? MULT8 : PACK
        questions.push(`${env} ${hotkey}`)
        return replying(messages)
      }
    const lane = await runSampling({ scope: many, agent, ...options })
    return { ...lane, questions }
  }

  it('has the samples in the order of the plan; the champion plays each challenge once, except games', async () => {
    const { samples, questions } = await recordQuestions()
    const placeOf = (sample: Sample) => [
      ...[sample.env, sample.index],
      ...listEpisodes(sample).map(({ miner }) => miner),
    ]
    const planned = planLane(many).map((each) => [
      ...[each.env, each.index],
      ...('miner' in each ? [each.miner] : [each.champion, each.contender]),
    ])
    expect(samples.map(placeOf)).toEqual(planned)
    const toChampion = questions.filter((each) => each === `${MULT8} ${CHAMPION}`)
    expect(toChampion.length).toBe(20)
    expect(questions.filter((each) => each.endsWith(OTHER) && !each.startsWith(HEX)).length).toBe(8)
  })

  it('asks in the same random order over all environments each time, and begins games after a first reply', async () => {
    const { questions } = await recordQuestions()
    expect(questions[0]?.startsWith(HEX)).toBe(false)
    const others = questions.filter((each) => !each.startsWith(HEX))
    // These agents answer immediately, so the order of asking is the order of turns.
    const kinds = others.map((each) => each.replace(/ .*/, ''))
    expect(new Set(kinds.slice(0, 20))).toEqual(new Set([MULT8, PACK]))
    expect(kinds).not.toEqual([...kinds].sort())
    const same = await recordQuestions({ journalPath: freshPath() })
    expect(same.questions.filter((each) => !each.startsWith(HEX))).toEqual(others)
  })
})

describe('a hostile miner', () => {
  const hostileReplies = [
    ...['\u001b]0;owned\u0007A1', '\u0000\u0001\u0002\nB2', '\udfff\ud83d\nC3', '\u202eB2\u2066'],
    ...['B2\r\nB2\rB2', '', 'А1', '１２３', '__proto__', '{"verdict":"win"}', '1'.repeat(16)],
    ...[640, 641, 250_000].map((length) => 'x'.repeat(length)),
    ...['\u{1f937}', '\u{e0001}', '"\\'].map((unit) => unit.repeat(2000)),
  ]
  const idOf = (id: string) => ({ 'x-chutes-invocationid': id })
  const answersOfMiner: readonly Answer[] = [
    ...hostileReplies.map((reply, i) => {
      const id = i % 2 === 0 ? 'always the same' : '\u00ff'.repeat(300)
      return sends(200, completion(reply), idOf(id))
    }),
    (_, { socket }) => void socket.resetAndDestroy(),
    sends(500, '\u001b[2J', idOf('always the same')),
    sends(200, completion({ toString: 'B2' })),
    honest(1),
  ]
  const hostile: Answer = (index, ...call) =>
    answersOfMiner[index % answersOfMiner.length]?.(index, ...call)

  it('cannot void a lane with any reply: the evidence is valid and harmless to a terminal', async () => {
    const { miners, seen } = await minersOf(hostile, hostile)
    const { samples } = await runSampling({ miners })
    expect(seen.champion.length).toBeGreaterThan(answersOfMiner.length)
    expect(await verdictOn(samples)).toMatchObject({ ok: true })
    const replies = samples.flatMap(listEpisodes).flatMap(({ messages }) => messages)
    for (const { content } of replies)
      expect(content.match(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/gu)).toBeNull()
    expect(replies.some(({ content }) => content.startsWith('[249456 bytes, '))).toBe(true)
  })
})

it('sends both miners of a duel the same requests except for the model’s name, without role and challenge id', async () => {
  const { miners, seen } = await minersOf(honest(0.7), honest(0.7))
  const { samples } = await runSampling({ miners })
  const requestsTo = (role: 'champion' | 'contender') =>
    seen[role]
      .map(({ body, headers, method, url }) => {
        const { model, messages, ...rest } = JSON.parse(body)
        expect(model).toBe(role === 'champion' ? 'first' : 'second')
        expect(rest).toEqual({})
        const { host: _, 'content-length': __, ...plain } = headers
        return JSON.stringify({ method, url, messages, headers: plain })
      })
      .sort()
  expect(requestsTo('contender')).toEqual(requestsTo('champion'))
  const everything = JSON.stringify([...seen.champion, ...seen.contender])
  const ids = samples.map(({ challengeId }) => challengeId)
  const hints = ['champion', 'contender', SECRET, VALIDATOR.hotkey, scope.beacon, ...ids]
  expect(hints.filter((hint) => everything.includes(hint))).toEqual([])
})

describe('a lane through Chutes', () => {
  const [champion, contender] = [CHAMPION, CONTENDER].map((hotkey) =>
    minerOf(hotkey, { model: `m/${hotkey}`, revision: 'a1'.repeat(20), chute: randomUUID() }),
  ) as [TargetMiner, TargetMiner]
  const miners = [champion, contender]

  async function openLane(routes: Readonly<Record<string, Handle>>) {
    const { place, seen } = await serveChutes({
      ...published(champion, 'one'),
      ...published(contender, 'two'),
      '/one/v1/chat/completions': plays,
      '/two/v1/chat/completions': plays,
      ...routes,
    })
    const asking = { ...NODE_CALLER, apiKey: 'cpk_1', concurrency: 8, pauseMs: 100, ...place }
    return { ...openChutes(asking), seen }
  }

  it('has the id of every invocation in its samples, and is unchanged if no chute changed', async () => {
    const { agent, hasChanged, seen } = await openLane({})
    const { samples } = await runSampling({ miners, agent, hasChanged })
    expect(await verdictOn(samples)).toMatchObject({ ok: true })
    expect(invocationsIn(samples).length).toBe(
      seen.filter(({ method }) => method === 'POST').length,
    )
    expect(samples.flatMap(listEpisodes).some(({ fault }) => fault)).toBe(false)
    expect((await readFile(journalPath, 'utf8')).trimEnd().endsWith('{"changed":[]}')).toBe(true)
  })

  it.each([
    ['champion', champion, 'one'],
    ['contender', contender, 'two'],
  ] as const)(
    'has no reply of a %s whose chute changed in the epoch, also after a restart',
    async (side, miner, slug) => {
      // The description differs at each check.
      const changing: Handle = (...args) =>
        answers(200, { ...described(miner, slug), updated_at: randomUUID() })(...args)
      const { agent, hasChanged } = await openLane({ [`/chutes/${miner.chute}`]: changing })
      const { samples, time } = await runSampling({ miners, agent, hasChanged })
      for (const sample of pairsOf(samples)) {
        const faults = [sample.champion, sample.contender].filter(({ fault }) => fault)
        expect(faults).toEqual([sample[side]])
        expect(sample[side].messages.length).toBe(1)
      }
      expect(await verdictOn(samples)).toMatchObject({ ok: true })
      // The result is on disk: the lane is the same, and no miner is asked again.
      const failIfCalled = async () => expect.fail('asked again')
      const again = await runSampling({ agent: () => failIfCalled, hasChanged: failIfCalled })
      expect(again).toEqual({ samples, time })
    },
  )
})

const invocationsIn = (samples: readonly Sample[]): readonly string[] =>
  samples
    .flatMap(listEpisodes)
    .flatMap(({ messages }) => messages.flatMap(({ invocation }) => invocation ?? []))

const createAgent =
  (id: () => string): LaneTask['agent'] =>
  () =>
  async (messages) => ({ ...(await replying(messages)), invocation: id() })

it('a lane requests replies with repeated ids again, also after a restart, and is valid', async () => {
  const given: string[] = []
  let count = 0
  const nextId = (): string => {
    const id = count++ % 30 === 7 ? given[given.length >> 1] : undefined
    given.push(id ?? randomUUID())
    return given.at(-1) ?? ''
  }
  const { samples } = await runSampling({ agent: createAgent(nextId) })
  expect(new Set(given).size).toBeLessThan(given.length)
  expect(await verdictOn(samples)).toMatchObject({ ok: true })

  const lines = (await readFile(journalPath, 'utf8')).trimEnd().split('\n')
  await truncate(journalPath, Buffer.byteLength(`${lines.slice(0, 40).join('\n')}\n`))
  const invocations = invocationsIn(lines.slice(1, 40).map((line) => JSON.parse(line).sample))
  const again = (): string =>
    count++ % 30 === 7 ? (invocations[count % invocations.length] ?? '') : randomUUID()
  const { samples: all } = await runSampling({ agent: createAgent(again) })
  expect(all.length).toBe(96)
  expect(await verdictOn(all)).toMatchObject({ ok: true })
})
