import { type Agent, make, SIDES, type Transcript, unbegunGame } from '@affine/envs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findEpisodeForfeit } from '../src/forfeit.ts'
import { type ChallengePair, findForfeit, isUnbegun } from '../src/index.ts'
import { CHAMPION, SECRET, scopeOf, toy } from './lane.ts'
import { pairsOf, playPlan } from './play-plan.ts'

const [HEX, MULT8, TICTACTOE] = ['hex@0.1.0', 'mult8@0.1.0', 'tictactoe@0.1.0'] as const

/** Returns the reply to a prompt; null for no reply. */
type Reply = (prompt: string) => string | null
const solving = (env: string): Reply => make(env).spec.solve
const silent: Reply = () => null
/** Replies with an occupied cell. Every board of tictactoe begins with some. */
const occupied: Reply = (prompt) => {
  const [, row = '', cells = ''] = /^([ABC]) (.*[XO].*)$/m.exec(prompt) ?? []
  return `${row}${cells.replaceAll(' ', '').search(/[XO]/) + 1}`
}

const agentOf =
  (reply: Reply): Agent =>
  (messages) => {
    const content = reply(messages.at(-1)?.content ?? '')
    return content === null ? { fault: 'no-reply' } : { content }
  }

/** Plays `count` challenges with these replies. */
async function playedBy(
  env: string,
  count: number,
  champion: Reply,
  contender = champion,
): Promise<readonly ChallengePair[]> {
  const agentFor = (miner: string) => agentOf(miner === CHAMPION ? champion : contender)
  return pairsOf(await playPlan(scopeOf(toy.hotkey, { [env]: count }), SECRET, agentFor))
}

describe('the reason of a forfeit', () => {
  it.each<[want: string | undefined, env: string, reply: Reply]>([
    ['no-reply', MULT8, silent],
    ['no-reply', TICTACTOE, silent],
    ['unreadable', MULT8, () => 'x'.repeat(5000)],
    ['unreadable', MULT8, () => 'forty-two'],
    ['unreadable', TICTACTOE, () => 'B2!'],
    ['illegal', TICTACTOE, occupied],
    [undefined, MULT8, () => '1000000000000000'], // wrong, but an answer
    [undefined, MULT8, solving(MULT8)],
    [undefined, TICTACTOE, solving(TICTACTOE)],
  ])('is %s for both sides in %s', async (want, env, reply) => {
    for (const pair of await playedBy(env, 20, reply))
      for (const side of SIDES) expect(findForfeit(pair, side)).toBe(want)
  })

  it.each<[want: string | undefined, loser: Reply]>([
    ['no-reply', silent],
    ['unreadable', () => 'x'.repeat(5000)],
    ['unreadable', () => 'I resign.'],
    ['illegal', () => 'A1'], // the same cell at every turn
    [undefined, solving(HEX)],
  ])('is %s for the loser of a game, and undefined for the winner', async (want, loser) => {
    const games = await playedBy(HEX, 12, loser, solving(HEX))
    const lost = games.filter(({ champion }) => champion.reward === -1)
    expect(lost.length).toBeGreaterThan(2)
    for (const game of lost) expect(findForfeit(game, 'champion')).toBe(want)
    for (const game of games) expect(findForfeit(game, 'contender')).toBeUndefined()
  })

  it('is undefined for a game that was never begun, unlike a game without a first reply', async () => {
    const [begun] = await playedBy(HEX, 1, silent)
    const sampleWith = (champion: Transcript, contender: Transcript): ChallengePair => ({
      ...begun!,
      champion: { miner: 'champion', ms: 0, ...champion },
      contender: { miner: 'contender', ms: 0, ...contender },
    })
    const waysIn = (pair: ChallengePair) => [
      isUnbegun(pair),
      ...SIDES.map((side) => findForfeit(pair, side)).sort(),
    ]
    const { champion: none } = unbegunGame(make(HEX))
    expect(waysIn(sampleWith(none, none))).toEqual([true, undefined, undefined])
    const unanswered: Transcript = { ...none, messages: [{ role: 'user', content: '' }] }
    const { fault: _, ...unfaulted } = none
    for (const one of [unanswered, unfaulted]) {
      expect(isUnbegun(sampleWith(one, one))).toBe(false)
      expect(isUnbegun(sampleWith(none, one))).toBe(false)
    }
    expect(waysIn(begun!)).toEqual([false, 'no-reply', undefined])
  })

  it('is undefined above the lowest reward, and in an unknown environment', async () => {
    const [pair] = await playedBy(MULT8, 1, silent)
    expect(findForfeit(pair!, 'champion')).toBe('no-reply')
    const rewarded = { ...pair!, champion: { ...pair!.champion, reward: 1 } }
    expect(findForfeit(rewarded, 'champion')).toBeUndefined()
    expect(findEpisodeForfeit({ ...pair!, env: 'no@1.0.0' }, pair!.champion)).toBeUndefined()
  })

  it('is found without an error for any content that a stranger signed', async () => {
    const [sound] = await playedBy(TICTACTOE, 1, () => 'never')
    const { messages, reward } = sound!.champion
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('A1', 'B2', ...messages.map(({ content }) => content)),
    )
    const message = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      content: text,
    })
    const hostile = fc.record({
      env: fc.constantFrom(TICTACTOE, MULT8, '__proto__', 'no@1.0.0'),
      challengeId: fc.constantFrom(sound!.challengeId, '1'.repeat(32), '2'.repeat(44)),
      messages: fc.array(fc.oneof(message, fc.constantFrom(...messages)), { maxLength: 12 }),
      reward: fc.constantFrom(reward, -1, 0, 1),
    })
    fc.assert(
      fc.property(hostile, ({ messages, reward, ...rest }) => {
        const sample = { ...sound!, ...rest, champion: { ...sound!.champion, messages, reward } }
        const isSound = rest.challengeId === sound!.challengeId
        const want = isSound ? [undefined, 'unreadable', 'illegal'] : [undefined]
        expect(want).toContain(findForfeit(sample, 'champion'))
      }),
    )
    expect(findForfeit(sound!, 'champion')).toBe('unreadable')
  })
})
