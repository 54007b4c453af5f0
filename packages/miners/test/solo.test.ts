import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChallengePair, challengeVerdict } from '@affine/blocks'
import { PROTOCOL, playMatch } from '@affine/duel'
import { make, registry } from '@affine/envs'
import type { Json } from '@affine/prng'
import { afterAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { openJournal } from '../../engine/src/journal.ts'
import { SYSTEM_CLOCK } from '../../settlement/src/index.ts'
import type { MinerAgent } from '../src/asking.ts'
import { minerClient } from '../src/miner-client.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import type { GameTime } from '../src/play-sample.ts'
import { playerReply } from '../src/reference-miner.ts'
import {
  type DuelStanding,
  playOn,
  practise,
  runDuel,
  type SoloDuel,
  soloChallenge,
} from '../src/solo.ts'
import { closeServers, completion, serve } from './servers.ts'

const ENVS = ['mult8@0.1.0', 'tictactoe@0.1.0']
const ALL = [...registry.keys()]
const GAMES = ALL.filter((env) => registry.get(env)?.game !== undefined)
const SECRET = 'a5'.repeat(32)
const RATIO = 510_000
const RULE = { ratioPpm: RATIO, rule: PROTOCOL }
const endless = new AbortController().signal
const root = testFolder('duel')
let count = 0

afterAll(closeServers)

const newPath = (): string => join(root, `${count++}.jsonl`)

/**
 * A miner behind HTTP whose replies follow from skill and prompt, and come after as long as
 * `delayMs` says.
 */
function minerOf(skill: number, delayMs: (good: boolean) => number = () => 0) {
  return serve((_, __, response, body) => {
    const prompt: string = JSON.parse(body).messages.at(-1).content
    const reply = playerReply(prompt, { skill, seed: String(skill) })
    const good = reply === playerReply(prompt, { skill: 1, seed: '' })
    const answer = () =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion(reply))
    setTimeout(answer, delayMs(good))
  })
}

interface Options {
  readonly path?: string
  readonly envs?: readonly string[]
  readonly ahead?: number
  readonly signal?: AbortSignal
  readonly on?: (standing: DuelStanding) => void
}

/** The duel of two miners; what it asks follows from the secret, which is always the same. */
async function duelOf(
  champion: string,
  contender: string,
  options: Options = {},
): Promise<DuelStanding> {
  const { path = newPath(), envs = ENVS, ahead = 16, signal = endless, on = () => {} } = options
  const journal = await openJournal(path)
  const duel: SoloDuel = { champion: 'a', contender: 'b', envs, ratioPpm: RATIO, secret: SECRET }
  if (journal.entries.length === 0) await journal.append(duel)
  const agentOf = (url: string) => {
    const client = minerClient(
      { chute: url, model: 'm' },
      { ...NODE_CALLER, concurrency: 2 * ahead },
    )
    return { agent: (replyMs: number) => client(replyMs, signal) }
  }
  const players = { champion: agentOf(champion), contender: agentOf(contender) }
  const time = SYSTEM_CLOCK
  try {
    return await runDuel({ duel, journal, players, ahead, signal, now: Date.now, time, on })
  } finally {
    await journal[Symbol.asyncDispose]()
  }
}

async function samplesAt(path: string): Promise<readonly ChallengePair[]> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n').slice(1)
  return lines.map((line) => JSON.parse(line))
}

const verdictIn = ({ champion, contender }: ChallengePair) =>
  challengeVerdict({ champion: champion.reward, contender: contender.reward })

const inOrder = (samples: readonly ChallengePair[], env: string): readonly ChallengePair[] =>
  samples.filter((sample) => sample.env === env).sort((a, b) => a.index - b.index)

describe('a duel', () => {
  it('stops as soon as it is certain, and each environment at its verdict', async () => {
    const path = newPath()
    const [weak, strong] = [await minerOf(0), await minerOf(1)]
    const { envs, outcome } = await duelOf(weak.url, strong.url, { path, ahead: 4 })
    expect(outcome).toBe('contender')
    const samples = await samplesAt(path)
    for (const env of ENVS) {
      const own = inOrder(samples, env)
      expect(own.map(({ index }) => index)).toEqual(own.map((_, i) => i))
      // The same by another way: the pure rule over all samples in the order of the index.
      const verdicts = own.map(verdictIn)
      expect(envs[env]).toEqual(playMatch(verdicts, RULE))
      expect(envs[env]?.verdict).toBe('win')
      // What was under way when the verdict fell is all that came in after it.
      const kept = samples.filter((sample) => sample.env === env)
      const counted = kept.map(({ index }) => index < (envs[env]?.played ?? 0))
      expect(kept.length - 1 - counted.lastIndexOf(true)).toBeLessThan(4)
    }
  })

  it('is the champion’s as soon as one environment holds, whatever the other says', async () => {
    const [weak, strong] = [await minerOf(0), await minerOf(1)]
    const { envs, outcome } = await duelOf(strong.url, weak.url, { ahead: 1 })
    expect(outcome).toBe('champion')
    expect(Object.values(envs).some(({ verdict }) => verdict === 'hold')).toBe(true)
    for (const { trials } of Object.values(envs)) expect(trials).toBeLessThan(4000)
  })

  it('leaves an environment in which nobody gave a legal answer to 20 challenges', async () => {
    const says = (hopeless: (prompt: string) => boolean) =>
      serve((_, __, response, body) => {
        const prompt: string = JSON.parse(body).messages.at(-1).content
        const reply = hopeless(prompt) ? 'no idea' : playerReply(prompt, { skill: 1, seed: '' })
        response.writeHead(200, { 'content-type': 'application/json' }).end(completion(reply))
      })
    const [none, one] = [await says(() => true), await says((prompt) => prompt.startsWith('Tic'))]
    const [env = ''] = ENVS
    const options = { path: newPath(), envs: [env] }
    const { envs, ...ended } = await duelOf(none.url, none.url, options)
    expect(ended).toEqual({ outcome: 'champion', left: [env] })
    expect(envs[env]).toMatchObject({ played: 20, verdict: 'hold' })
    expect(await duelOf(none.url, none.url, options)).toEqual({ envs, ...ended })
    const able = await duelOf(none.url, one.url, { envs: [env] })
    expect([able.outcome, able.left]).toEqual(['contender', []])
  })

  it('comes to the same whoever answers slowly: wrong answers late, good ones late, or one at a time', async () => {
    const champion = await minerOf(0.5)
    const quick = await minerOf(0.8)
    const lateWhenWrong = await minerOf(0.8, (good) => (good ? 0 : 40))
    const lateWhenGood = await minerOf(0.8, (good) => (good ? 25 : 0))
    const one = await duelOf(champion.url, quick.url, { ahead: 1 })
    expect(one.outcome).toBe('contender')
    for (const { url } of [quick, lateWhenWrong, lateWhenGood]) {
      const path = newPath()
      expect(await duelOf(champion.url, url, { path, ahead: 16 })).toEqual(one)
      const samples = await samplesAt(path)
      for (const env of ENVS) {
        const own = samples.filter((sample) => sample.env === env)
        const played = one.envs[env]?.played ?? 0
        // Not vacuous: judged in the order of arrival, the verdict would have fallen elsewhere.
        if (url === quick.url) continue
        expect(own.map(({ index }) => index)).not.toEqual(
          inOrder(samples, env).map(({ index }) => index),
        )
        expect(own.length).toBeGreaterThanOrEqual(played)
      }
    }
  })

  it('shows how it stands after every challenge, never going back', async () => {
    const [weak, strong] = [await minerOf(0.2), await minerOf(1)]
    const shown: DuelStanding[] = []
    const end = await duelOf(weak.url, strong.url, {
      on: (standing) => shown.push({ ...standing, envs: { ...standing.envs } }),
    })
    for (const env of ENVS) {
      const played = shown.map(({ envs }) => envs[env]?.played ?? 0)
      expect(played).toEqual([...played].sort((a, b) => a - b))
    }
    expect(shown.at(-1)).toEqual(end)
  })
})

describe('a duel that was broken off', () => {
  it('goes on where it stopped and ends as if nothing had happened: no forfeit is made of the end', async () => {
    const [champion, contender] = [await minerOf(0.5, () => 5), await minerOf(0.75, () => 5)]
    const undisturbed = await duelOf(champion.url, contender.url)
    expect(undisturbed.outcome).toBe('contender')
    const path = newPath()
    let stops = 0
    // What is being written when it stops is kept, too: at most as many as are under way.
    const ahead = 4
    for (const after of [5, 8, 8, Number.POSITIVE_INFINITY]) {
      const controller = new AbortController()
      let taken = 0
      const on = () => {
        taken += 1
        if (taken === after) controller.abort(new Error('stopped'))
      }
      const before = await samplesAt(path).catch(() => [])
      const options = { path, ahead, signal: controller.signal, on }
      const run = duelOf(champion.url, contender.url, options)
      if (Number.isFinite(after)) {
        await expect(run).rejects.toThrow('stopped')
        stops += 1
        expect((await samplesAt(path)).slice(0, before.length)).toEqual(before)
      } else expect(await run).toEqual(undisturbed)
    }
    expect(stops).toBe(3)
    const samples = await samplesAt(path)
    for (const { champion, contender } of samples)
      expect([champion.fault, contender.fault]).toEqual([undefined, undefined])
    const places = samples.map(({ env, index }) => `${env}#${index}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it('asks nobody again for what it has', async () => {
    const [champion, contender] = [await minerOf(0), await minerOf(1)]
    const path = newPath()
    const end = await duelOf(champion.url, contender.url, { path })
    const asked = [champion.seen.length, contender.seen.length]
    expect(await duelOf(champion.url, contender.url, { path })).toEqual(end)
    expect([champion.seen.length, contender.seen.length]).toEqual(asked)
  })
})

describe('the two miners', () => {
  it.each(ALL.filter((env) => !GAMES.includes(env)))(
    'of %s are sent the same, to the byte and in the same order: neither can tell its role',
    async (env) => {
      // Two that answer alike: whatever differed in what they are sent would be for their roles.
      const [champion, contender] = [await minerOf(0.7), await minerOf(0.7)]
      const controller = new AbortController()
      const on = ({ envs }: DuelStanding) =>
        envs[env]?.played === 30 && controller.abort(new Error('enough'))
      const options = { envs: [env], ahead: 1, signal: controller.signal, on }
      await expect(duelOf(champion.url, contender.url, options)).rejects.toThrow('enough')
      const sent = ({ seen }: typeof champion) =>
        seen.map(({ headers, ...rest }) => ({ ...rest, headers: { ...headers, host: '' } }))
      expect(champion.seen.length).toBeGreaterThanOrEqual(30)
      expect(sent(contender)).toEqual(sent(champion))
    },
  )

  it.each(GAMES)('of %s play one another, and are sent the present prompt alone', async (env) => {
    const [champion, contender] = [await minerOf(0.3), await minerOf(1)]
    const path = newPath()
    const { outcome } = await duelOf(champion.url, contender.url, { path, envs: [env] })
    expect(outcome).toBe('contender')
    const samples = await samplesAt(path)
    for (const side of [champion, contender])
      for (const { body } of side.seen)
        expect(JSON.parse(body)).toEqual({
          model: 'm',
          messages: [{ role: 'user', content: expect.any(String) }],
        })
    for (const { champion, contender } of samples)
      expect(contender.reward + champion.reward).toBe(0)
  })

  it.each(GAMES)('of %s have a clock each: one that never replies loses', async (env) => {
    const { solve } = make(env).spec
    // Time enough for what comes at once, and for nothing else.
    const after: GameTime['after'] = (_, wake) => {
      const soon = setImmediate(wake)
      return () => clearImmediate(soon)
    }
    const stalling: MinerAgent = (_, until) =>
      new Promise((resolve) =>
        until?.addEventListener('abort', () => resolve({ fault: 'no-reply' })),
      )
    const replying: MinerAgent = (messages) => ({ content: solve(messages.at(-1)?.content ?? '') })
    const notes = { entries: [], append: async () => {} }
    const run = { signal: endless, ahead: 16, time: { now: () => 0, after } }
    const { outcome } = await runDuel({
      duel: { champion: 'a', contender: 'b', envs: [env], ratioPpm: RATIO, secret: SECRET },
      journal: notes,
      players: { champion: { agent: () => stalling }, contender: { agent: () => replying } },
      ...{ ...run, now: () => 0, on: () => {} },
    })
    expect(outcome).toBe('contender')

    const player = { agent: () => stalling }
    const exercises = [{ env, challengeId: soloChallenge(env, SECRET, 0) }]
    const [played] = await practise({ ...run, exercises, journal: notes, player, on: () => {} })
    expect(played).toMatchObject({ fault: 'no-reply', reward: -1, best: 1 })
  })

  it.each(GAMES)('of %s practise against the scripted opponent', async (env) => {
    const { solve } = make(env).spec
    const asked: number[] = []
    const agent: MinerAgent = (messages) => {
      asked.push(messages.length)
      return { content: solve(messages.at(-1)?.content ?? '') }
    }
    const challenge = (index: number) => ({ env, challengeId: soloChallenge(env, SECRET, index) })
    const played = await practise({
      exercises: Array.from({ length: 20 }, (_, i) => challenge(i)),
      journal: { entries: [], append: async () => {} },
      player: { agent: () => agent },
      ...{ signal: endless, ahead: 1, time: SYSTEM_CLOCK, on: () => {} },
    })
    expect(new Set(asked)).toEqual(new Set([1]))
    expect(new Set(played.map(({ reward }) => reward))).toEqual(new Set([1, -1]))
    expect(new Set(played.map(({ best }) => best))).toEqual(new Set([1]))
  })
})

it('rejects with the first failure, once what is being kept is kept', async () => {
  const kept: Json[] = []
  let finish = (): void => {}
  const writing = new Promise<void>((resolve) => {
    finish = resolve
  })
  const append = async (entry: Json): Promise<void> => {
    await writing
    kept.push(entry)
  }
  const plays = [() => Promise.reject(new Error('broken')), () => Promise.resolve(1)]
  const { signal } = new AbortController()
  const journal = { entries: [], append }
  const run = { journal, ahead: 2, signal }
  const playing = playOn(
    run,
    () => plays.shift(),
    () => {},
  )
  let hasEnded = false
  const ended = playing.catch((error: Error) => {
    hasEnded = true
    return error.message
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasEnded).toBe(false)
  finish()
  expect([await ended, kept]).toEqual(['broken', [1]])
})
