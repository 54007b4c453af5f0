import { setTimeout as sleep } from 'node:timers/promises'
import { type ChallengePair, type Clock, compareRewards } from '@affine/blocks'
import { addChallenge, NO_MATCH, PROTOCOL } from '@affine/duel'
import { type Message, registry } from '@affine/envs'
import type { Json } from '@affine/prng'
import { describe, expect, it, vi } from 'vitest'
import { SYSTEM_CLOCK } from '../../settlement/src/index.ts'
import type { MinerAgent } from '../src/asking.ts'
import type { Opponent } from '../src/player.ts'
import { playerReply } from '../src/reference-miner.ts'
import {
  createExercises,
  type DuelStanding,
  type Notes,
  playAll,
  practise,
  runDuel,
  type SoloDuel,
} from '../src/solo.ts'

const ENVS = ['mult8@0.1.0', 'tictactoe@0.1.0']
const ALL = [...registry.keys()]
const GAMES = ALL.filter((env) => registry.get(env)?.game !== undefined)
const SECRET = 'a5'.repeat(32)
const RATIO = 510_000
const RULE = { ratioPpm: RATIO, rule: PROTOCOL }
const endless = new AbortController().signal
const perfect = (prompt: string): string => playerReply(prompt, { skill: 1, seed: '' })

const replyPerfectly: MinerAgent = (messages) => ({
  content: perfect(messages.at(-1)?.content ?? ''),
})
const PRACTICE = { signal: endless, ahead: 1, time: SYSTEM_CLOCK, on: () => {} }

type Player = Pick<Opponent, 'agent'>

/**
 * Returns a player that replies by `say` after `delayMs`, and the messages that it has received.
 * `delayMs` gets whether the reply is that of a perfect player.
 */
function playerThat(
  say: (prompt: string) => string,
  delayMs: (isGood: boolean) => number = () => 0,
) {
  const sent: (readonly Message[])[] = []
  const agent: MinerAgent = async (messages) => {
    sent.push([...messages])
    const prompt = messages.at(-1)?.content ?? ''
    const content = say(prompt)
    await sleep(delayMs(content === perfect(prompt)))
    return { content }
  }
  return { agent: () => agent, sent }
}

/** Returns a player whose replies depend on skill and prompt only. */
const playerOf = (skill: number, delayMs?: (isGood: boolean) => number) =>
  playerThat((prompt) => playerReply(prompt, { skill, seed: String(skill) }), delayMs)

/** Creates a journal in memory. */
function newNotes(): Notes & { readonly entries: Json[] } {
  const entries: Json[] = []
  return { entries, append: async (entry) => void entries.push(entry) }
}

const samplesIn = ({ entries }: Notes): readonly ChallengePair[] =>
  entries.slice(1) as unknown as readonly ChallengePair[]

interface Options extends Partial<Parameters<typeof runDuel>[0]> {
  readonly notes?: Notes
  readonly envs?: readonly string[]
}

/** Runs the duel of two players. Its challenges depend on the secret, which is constant. */
async function duelOf(
  champion: Player,
  contender: Player,
  options: Options = {},
): Promise<DuelStanding> {
  const { notes = newNotes(), envs = ENVS, signal = endless } = options
  const duel: SoloDuel = { champion: 'a', contender: 'b', envs, ratioPpm: RATIO, secret: SECRET }
  if (notes.entries.length === 0) await notes.append(duel)
  /** Returns a player whose calls have no reply if they are interrupted. */
  const untilEnd = ({ agent }: Player): Player => ({
    agent:
      (replyMs) =>
      async (...call) => {
        const answer = await agent(replyMs)(...call)
        return signal.aborted ? { fault: 'no-reply' } : answer
      },
  })
  const players = { champion: untilEnd(champion), contender: untilEnd(contender) }
  const run = { ahead: 16, signal, now: Date.now, time: SYSTEM_CLOCK, on: () => {} }
  return runDuel({ duel, journal: notes, players, ...run, ...options })
}

const verdictIn = ({ champion, contender }: ChallengePair) =>
  compareRewards({ champion: champion.reward, contender: contender.reward })

const inOrder = (samples: readonly ChallengePair[], env: string): readonly ChallengePair[] =>
  samples.filter((sample) => sample.env === env).sort((a, b) => a.index - b.index)

describe('a duel', () => {
  it('stops when the winner is certain, and each environment at its verdict', async () => {
    const notes = newNotes()
    const { envs, outcome } = await duelOf(playerOf(0), playerOf(1), { notes, ahead: 4 })
    expect(outcome).toBe('contender')
    const samples = samplesIn(notes)
    for (const env of ENVS) {
      const own = inOrder(samples, env)
      expect(own.map(({ index }) => index)).toEqual(own.map((_, i) => i))
      // The pure rule over all samples in the order of the index has the same result.
      const verdicts = own.map(verdictIn)
      const match = verdicts.reduce((sum, verdict) => addChallenge(sum, verdict, RULE), NO_MATCH)
      expect(envs[env]).toEqual(match)
      expect(envs[env]?.verdict).toBe('win')
      // Only challenges that were pending at the verdict were stored after it.
      const stored = samples.filter((sample) => sample.env === env)
      const counted = stored.map(({ index }) => index < (envs[env]?.played ?? 0))
      expect(stored.length - 1 - counted.lastIndexOf(true)).toBeLessThan(4)
    }
  })

  it('is won by the champion when it holds one environment, regardless of the other', async () => {
    const { envs, outcome } = await duelOf(playerOf(1), playerOf(0), { ahead: 1 })
    expect(outcome).toBe('champion')
    expect(Object.values(envs).some(({ verdict }) => verdict === 'hold')).toBe(true)
    for (const { trials } of Object.values(envs)) expect(trials).toBeLessThan(4000)
  })

  it('ends an environment after 20 challenges without a legal answer', async () => {
    const says = (isHopeless: (prompt: string) => boolean) =>
      playerThat((prompt) => (isHopeless(prompt) ? 'no idea' : perfect(prompt)))
    const [none, one] = [says(() => true), says((prompt) => prompt.startsWith('Tic'))]
    const [env = ''] = ENVS
    const options = { notes: newNotes(), envs: [env] }
    const { envs, ...ended } = await duelOf(none, none, options)
    expect(ended).toEqual({ outcome: 'champion', left: [env] })
    expect(envs[env]).toMatchObject({ played: 20, verdict: 'hold' })
    expect(await duelOf(none, none, options)).toEqual({ envs, ...ended })
    const able = await duelOf(none, one, { envs: [env] })
    expect([able.outcome, able.left]).toEqual(['contender', []])
  })

  it('has the same result if wrong or good answers are late, and with one call at a time', async () => {
    const champion = playerOf(0.5)
    const quick = playerOf(0.8)
    const lateWhenWrong = playerOf(0.8, (isGood) => (isGood ? 0 : 40))
    const lateWhenGood = playerOf(0.8, (isGood) => (isGood ? 25 : 0))
    const one = await duelOf(champion, quick, { ahead: 1 })
    expect(one.outcome).toBe('contender')
    for (const contender of [quick, lateWhenWrong, lateWhenGood]) {
      const notes = newNotes()
      expect(await duelOf(champion, contender, { notes })).toEqual(one)
      if (contender === quick) continue
      // The test is effective only if the order of arrival differs from the order of the index.
      for (const env of ENVS) {
        const own = samplesIn(notes).filter((sample) => sample.env === env)
        expect(own).not.toEqual(inOrder(own, env))
        expect(own.length).toBeGreaterThanOrEqual(one.envs[env]?.played ?? 0)
      }
    }
  })
})

describe('an interrupted duel', () => {
  it('continues where it stopped, with the same result and without forfeits', async () => {
    const [champion, contender] = [playerOf(0.5), playerOf(0.75)]
    const undisturbed = await duelOf(champion, contender)
    expect(undisturbed.outcome).toBe('contender')
    const notes = newNotes()
    for (const after of [5, 8, 8]) {
      const controller = new AbortController()
      const on = vi.fn(() => {
        if (on.mock.calls.length === after) controller.abort(new Error('stopped'))
      })
      const before = [...notes.entries]
      const run = duelOf(champion, contender, { notes, ahead: 4, signal: controller.signal, on })
      await expect(run).rejects.toThrow('stopped')
      expect(notes.entries.slice(0, before.length)).toEqual(before)
    }
    expect(await duelOf(champion, contender, { notes, ahead: 4 })).toEqual(undisturbed)
    for (const { champion, contender } of samplesIn(notes))
      expect([champion.fault, contender.fault]).toEqual([undefined, undefined])
    const places = samplesIn(notes).map(({ env, index }) => `${env}#${index}`)
    expect(new Set(places).size).toBe(places.length)
  })
})

describe('the two miners', () => {
  it.each(ALL.filter((env) => !GAMES.includes(env)))(
    'of %s receive the same messages in the same order, which do not show their roles',
    async (env) => {
      // Both give the same answers, so any difference in their messages would show their roles.
      const [champion, contender] = [playerOf(0.7), playerOf(0.7)]
      const controller = new AbortController()
      const on = ({ envs }: DuelStanding) =>
        envs[env]?.played === 30 && controller.abort(new Error('enough'))
      const options = { envs: [env], ahead: 1, signal: controller.signal, on }
      await expect(duelOf(champion, contender, options)).rejects.toThrow('enough')
      expect(champion.sent.length).toBeGreaterThanOrEqual(30)
      expect(contender.sent).toEqual(champion.sent)
    },
  )

  it.each(GAMES)('of %s play each other, and receive only the current prompt', async (env) => {
    const [champion, contender] = [playerOf(0.3), playerOf(1)]
    const notes = newNotes()
    const { outcome } = await duelOf(champion, contender, { notes, envs: [env] })
    expect(outcome).toBe('contender')
    for (const messages of [...champion.sent, ...contender.sent])
      expect(messages).toEqual([{ role: 'user', content: expect.any(String) }])
    for (const { champion, contender } of samplesIn(notes))
      expect(contender.reward + champion.reward).toBe(0)
  })

  it.each(GAMES)('of %s have a clock each: a silent player loses', async (env) => {
    // Only immediate replies are in time.
    const after: Clock['after'] = (_, wake) => {
      const soon = setImmediate(wake)
      return () => clearImmediate(soon)
    }
    const stalling: MinerAgent = (_, call) =>
      new Promise((resolve) =>
        call?.end.addEventListener('abort', () => resolve({ fault: 'no-reply' })),
      )
    const player = { agent: () => stalling }
    const time = { now: () => 0, after }
    const replying = { agent: (): MinerAgent => replyPerfectly }
    const { outcome } = await duelOf(player, replying, { envs: [env], time })
    expect(outcome).toBe('contender')

    const exercises = createExercises([env], SECRET, 1)
    const [played] = await practise({ ...PRACTICE, exercises, journal: newNotes(), player, time })
    expect(played).toMatchObject({ fault: 'no-reply', reward: -1, best: 1 })
  })

  it.each(GAMES)('of %s can each practise alone, against the scripted opponent', async (env) => {
    const agent = vi.fn(replyPerfectly)
    const exercises = createExercises([env], SECRET, 20)
    const player = { agent: () => agent }
    const played = await practise({ ...PRACTICE, exercises, journal: newNotes(), player })
    for (const [messages] of agent.mock.calls) expect(messages.length).toBe(1)
    expect(new Set(played.map(({ reward }) => reward))).toEqual(new Set([1, -1]))
    expect(new Set(played.map(({ best }) => best))).toEqual(new Set([1]))
  })
})

it('rejects with the first failure after pending writes have ended', async () => {
  const notes = newNotes()
  let finish = (): void => {}
  const writing = new Promise<void>((resolve) => {
    finish = resolve
  })
  const append = (entry: Json): Promise<void> => writing.then(() => notes.append(entry))
  const plays = [() => Promise.reject(new Error('broken')), () => Promise.resolve(1)]
  const run = { journal: { entries: [], append }, ahead: 2, signal: endless }
  const next = () => plays.shift()
  const playing = playAll(run, next, () => {})
  const ended = vi.fn()
  void playing.catch(ended)
  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).not.toHaveBeenCalled()
  finish()
  await expect(playing).rejects.toThrow('broken')
  expect(notes.entries).toEqual([1])
})
