import { describe, expect, test } from 'vitest'
import { checkEnv } from '../src/check-env.ts'
import {
  type Agent,
  deriveSeed,
  Env,
  type EnvSpec,
  type Message,
  make,
  type PerSide,
  playGame,
  replayGame,
  requireRules,
  type Side,
  type Transcript,
  unbegunGame,
} from '../src/index.ts'
import * as ids from './ids.ts'

const env = make('hex@0.1.0')
const rules = requireRules(env.spec)
const idOf = (index: number): string => ids.idOf(env.spec.id, index)
const scripted: Agent = (messages) => ({ content: env.spec.solve(messages[0]?.content ?? '') })
const other = (side: Side): Side => (side === 'champion' ? 'contender' : 'champion')
const both = <Of>(of: (side: Side) => Of): PerSide<Of> => ({
  champion: of('champion'),
  contender: of('contender'),
})
const recordOf = (game: PerSide<Transcript>): PerSide<readonly Message[]> =>
  both((side) => game[side].messages)

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

// The test of vectors/envs/games.json covers the code of each fault.
test('reports missing and extra moves of a game by side', async () => {
  const agents = both(() => scripted)
  const recorded = recordOf(await playGame(env, idOf(0), agents))
  const first: Side =
    recorded.champion.length > recorded.contender.length ? 'champion' : 'contender'
  const flawAfter = (messages: readonly Message[]) =>
    replayGame(env, idOf(0), { ...recorded, [first]: messages })
  expect(flawAfter([])).toMatchObject({
    code: 'TOO_SHORT',
    detail: `${first}, message 0`,
  })
  const reply = { role: 'assistant', content: 'A1' } as const
  expect(flawAfter([...recorded[first], reply])).toMatchObject({
    code: 'TOO_LONG',
    detail: `${first}, message ${recorded[first].length}`,
  })
})

test.each<[string, Partial<EnvSpec>, string]>([
  ['without an end', { maxSteps: 10 }, 'a winner within 10 replies'],
  ['with an illegal scripted move', { game: { ...rules, step: () => null } }, 'to be a legal move'],
])('`checkEnv` rejects a game %s', (_, change, error) => {
  expect(() => checkEnv(new Env({ ...env.spec, ...change }))).toThrow(error)
})
