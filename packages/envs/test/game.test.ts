import { describe, expect, test } from 'vitest'
import { checkEnv } from '../src/check-env.ts'
import {
  type Agent,
  defineGame,
  deriveSeed,
  Env,
  type GameDefinition,
  type Message,
  make,
  type PerSide,
  playGame,
  replayGame,
  type Side,
  spaces,
  type Transcript,
  unbegunGame,
} from '../src/index.ts'
import * as ids from './ids.ts'

const env = make('hex@0.1.0')
const idOf = (index: number): string => ids.idOf(env.spec.id, index)
const scripted: Agent = (messages) => ({ content: env.spec.solve(messages[0]?.content ?? '') })
const other = (side: Side): Side => (side === 'champion' ? 'contender' : 'champion')
const both = <Of>(of: (side: Side) => Of): PerSide<Of> => ({
  champion: of('champion'),
  contender: of('contender'),
})
const recordOf = (game: PerSide<Transcript>): PerSide<readonly Message[]> =>
  both((side) => game[side].messages)

/** Plays a game with the same agent on both sides. */
const playedBy = (agent: Agent, index: number): Promise<PerSide<Transcript>> =>
  playGame(
    env,
    idOf(index),
    both(() => agent),
  )

describe('a game', () => {
  test('alternates turns, has one winner, and replays', async () => {
    const winners = new Set<Side>()
    const firsts = new Set<Side>()
    for (let index = 0; index < 40; index++) {
      const prompts: (readonly [Side, string])[] = []
      const agents = both(
        (side): Agent =>
          (messages) => {
            expect(messages).toHaveLength(1)
            prompts.push([side, messages[0]?.content ?? ''])
            return scripted(messages)
          },
      )
      const game = await playGame(env, idOf(index), agents)
      const [first = ['champion', '']] = prompts
      firsts.add(first[0])
      expect(first[1]).toMatch(/^Hex: you are X/)
      for (const [turn, [side]] of prompts.entries())
        expect(side).toBe(turn % 2 === 0 ? first[0] : other(first[0]))
      const [winner] = prompts.at(-1) ?? ['champion']
      winners.add(winner)
      expect([game[winner].reward, game[other(winner)].reward]).toEqual([1, -1])
      const value = both((side) => ({ reward: game[side].reward, fault: false }))
      expect(replayGame(env, idOf(index), recordOf(game))).toEqual({ ok: true, value })
      expect(replayGame(env, deriveSeed(idOf(index)), recordOf(game))).toEqual({ ok: true, value })
    }
    expect([winners.size, firsts.size]).toEqual([2, 2])
  })

  test('rejects an environment of one player and an invalid challenge id', async () => {
    const agents = both(() => scripted)
    const nothing = both(() => [])
    const one = make('mult8-v0')
    await expect(playGame(one, idOf(0), agents)).rejects.toThrow(RangeError)
    await expect(playGame(env, 'x', agents)).rejects.toThrow('base58')
    expect(() => replayGame(one, 1n, nothing)).toThrow(RangeError)
    expect(() => unbegunGame(one)).toThrow(RangeError)
    expect(() =>
      replayGame(
        env,
        'x',
        both(() => [{ role: 'user', content: '' }]),
      ),
    ).toThrow('base58')
  })
})

// vectors/envs/games.json has the code of each fault.
describe('the replay of a game', () => {
  test('reports missing and extra moves by side', async () => {
    const { champion, contender } = await playedBy(scripted, 0)
    const recorded = { champion: champion.messages, contender: contender.messages }
    const first: Side =
      recorded.champion.length > recorded.contender.length ? 'champion' : 'contender'
    const early = { ...recorded, [first]: [] }
    expect(replayGame(env, idOf(0), early)).toMatchObject({
      code: 'TOO_SHORT',
      detail: expect.stringContaining(`${first}, message 0: `),
    })
    const at = recorded[first].length
    const reply = { role: 'assistant', content: 'A1' }
    const more = { ...recorded, [first]: [...recorded[first], reply] }
    expect(replayGame(env, idOf(0), more)).toMatchObject({
      code: 'TOO_LONG',
      detail: expect.stringContaining(`${first}, message ${at}: `),
    })
  })
})

describe('the checks of a game', () => {
  /** The players take 1 or 2 in turn. The player that takes the last wins. */
  const counting: GameDefinition<number, readonly number[], number> = {
    name: 'counting',
    version: '0.1.0',
    maxSteps: 9,
    replyMs: 1000,
    clockMs: 5000,
    lowestReward: -1,
    highestReward: 1,
    actionSpace: spaces.Discrete(3),
    observationSpace: spaces.Box({ low: 0, high: 9, length: 1 }),
    initial: (random) => random.integers(1, 9),
    truth: (left) => left,
    difficulty: (left) => left,
    observe: (left) => [left],
    step: (left, take) => {
      if (take === 0) return null
      const remaining = Math.max(0, left - take)
      return { state: remaining, won: remaining === 0 }
    },
    prompt: ([left]) => `${left} are left. Take 1 or 2; the last wins.`,
    parse: (line) => (/^[12]$/.test(line) ? Number(line) : null),
    format: String,
    solve: (prompt) => {
      const left = Number(/^[0-9]+/.exec(prompt)?.[0])
      return String(left % 3 === 2 ? 2 : 1)
    },
    guess: (_, random) => String(random.integers(0, 3)),
  }

  test('accept a sound game', () => {
    checkEnv(new Env(defineGame(counting)))
  })

  test.each([
    ['a game without an end', { maxSteps: 2 }, 'a winner within 2 replies'],
    [
      'an illegal scripted move',
      { step: (left: number) => (left < 4 ? null : { state: left - 1, won: false }) },
      'to be a legal move',
    ],
  ])('reject %s', (_, change, error) => {
    const broken = () => checkEnv(new Env(defineGame({ ...counting, ...change })))
    expect(broken).toThrow(error)
  })
})
