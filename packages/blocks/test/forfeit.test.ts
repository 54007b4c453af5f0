import {
  type Agent,
  challengeId,
  make,
  type PerSide,
  play,
  playGame,
  type Transcript,
  unbegunGame,
} from '@affine/envs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChallengePair, forfeitOf, isUnbegun } from '../src/index.ts'

type Answer = ReturnType<Agent>
const NONE = '0'.repeat(64)
const idOf = (env: string, index: number): string =>
  challengeId({
    genesis: NONE,
    netuid: 0,
    env,
    specHash: NONE,
    validator: '',
    epoch: 0,
    beacon: NONE,
    secret: NONE,
    index,
  })

/** A pair in which both sides reply so, whoever asks. */
async function sampleOf(
  env: string,
  index: number,
  reply: (prompt: string) => string | null,
): Promise<ChallengePair> {
  const id = idOf(env, index)
  const played = await play(make(env), id, (messages) => {
    const content = reply(messages.at(-1)?.content ?? '')
    return content === null ? { fault: 'no-reply' } : { content }
  })
  const episode = { miner: `5${'x'.repeat(47)}`, ms: 1, ...played }
  return {
    env,
    index,
    challengeId: id,
    champion: episode,
    contender: episode,
  }
}

describe('why a challenge was forfeited', () => {
  const occupied = (prompt: string): string => {
    const rows = prompt.split('\n').filter((line) => /^[ABC] [.XO]/.test(line))
    const row = rows.find((line) => /[XO]/.test(line)) ?? ''
    return `${row[0]}${[...row.slice(2).replaceAll(' ', '')].findIndex((cell) => cell !== '.') + 1}`
  }
  it.each([
    ['no-reply', 'mult8@0.1.0', () => null],
    ['no-reply', 'tictactoe@0.1.0', () => null],
    ['unreadable', 'mult8@0.1.0', () => 'x'.repeat(5000)],
    ['unreadable', 'mult8@0.1.0', () => 'forty-two'],
    ['unreadable', 'tictactoe@0.1.0', () => 'B2!'],
    ['illegal', 'tictactoe@0.1.0', occupied],
    [undefined, 'mult8@0.1.0', () => '1000000000000000'], // wrong, but an answer
    [undefined, 'mult8@0.1.0', (prompt: string) => make('mult8@0.1.0').spec.solve(prompt)],
    [undefined, 'tictactoe@0.1.0', (prompt: string) => make('tictactoe@0.1.0').spec.solve(prompt)],
  ] as const)('is %s: %s', async (want, env, reply) => {
    for (let index = 0; index < 20; index++)
      for (const role of ['champion', 'contender'] as const)
        expect(forfeitOf(await sampleOf(env, index, reply), role)).toBe(want)
  })

  it('is nothing for a game that was lost by legal moves', async () => {
    const lost: unknown[] = []
    for (let index = 0; index < 200; index++) {
      const sample = await sampleOf('tictactoe@0.1.0', index, (prompt) => {
        const [line = ''] = prompt
          .split('\n')
          .filter((line) => /^[ABC] [.XO]/.test(line) && line.includes('.'))
        return `${line[0]}${[...line.slice(2).replaceAll(' ', '')].indexOf('.') + 1}` // the first empty cell
      })
      if (sample.champion.reward === -1) lost.push(forfeitOf(sample, 'champion'))
    }
    expect(lost.length).toBeGreaterThan(10)
    expect(new Set(lost)).toEqual(new Set([undefined]))
  })

  const HEX = 'hex@0.1.0'
  const { solve } = make(HEX).spec
  it.each<[string | undefined, (prompt: string) => Answer]>([
    ['no-reply', () => ({ fault: 'no-reply' })],
    ['unreadable', () => ({ content: 'x'.repeat(5000) })],
    ['unreadable', () => ({ content: 'I resign.' })],
    ['illegal', () => ({ content: 'K11' })],
    [undefined, (prompt) => ({ content: solve(prompt) })],
  ])('is %s of the loser of a game alone', async (want, loser) => {
    let found = 0
    for (let index = 0; index < 12; index++) {
      const id = idOf(HEX, index)
      const played = await playGame(make(HEX), id, {
        champion: ([prompt]) => loser(prompt?.content ?? ''),
        contender: ([prompt]) => ({ content: solve(prompt?.content ?? '') }),
      })
      const of = (side: 'champion' | 'contender') => ({ miner: side, ms: 1, ...played[side] })
      const sample = {
        env: HEX,
        challengeId: id,
        champion: of('champion'),
        contender: of('contender'),
      }
      expect(forfeitOf(sample, 'contender')).toBeUndefined()
      const isOnBoard =
        want === 'illegal' && make(HEX).reset({ options: { challengeId: id } })[1].difficulty === 11
      if (played.champion.reward === -1 && !isOnBoard) {
        expect(forfeitOf(sample, 'champion')).toBe(want)
        found += 1
      }
    }
    expect(found).toBeGreaterThan(2)
  })

  it('is nothing for a game that was never begun, unlike one without a first reply', async () => {
    const id = idOf(HEX, 0)
    const silent: Agent = () => ({ fault: 'no-reply' })
    const sampleWith = ({ champion, contender }: PerSide<Transcript>) => ({
      env: HEX,
      challengeId: id,
      champion: { miner: 'champion', ms: 0, ...champion },
      contender: { miner: 'contender', ms: 0, ...contender },
    })
    const waysIn = (sample: ReturnType<typeof sampleWith>) =>
      [isUnbegun(sample), forfeitOf(sample, 'champion'), forfeitOf(sample, 'contender')] as const
    expect(waysIn(sampleWith(unbegunGame(make(HEX))))).toEqual([true, undefined, undefined])
    const { champion: none } = unbegunGame(make(HEX))
    const asked: Transcript = { ...none, messages: [{ role: 'user', content: '' }] }
    const { fault: _, ...unfaulted } = none
    for (const one of [asked, unfaulted]) {
      expect(isUnbegun(sampleWith({ champion: one, contender: one }))).toBe(false)
      expect(isUnbegun(sampleWith({ champion: none, contender: one }))).toBe(false)
    }
    const begun = await playGame(make(HEX), id, { champion: silent, contender: silent })
    const [isNone, ...ways] = waysIn(sampleWith(begun))
    expect([isNone, ...[...ways].sort()]).toEqual([false, 'no-reply', undefined])
  })

  it('is nothing, and no error, for whatever a stranger signed', async () => {
    const sound = await sampleOf('tictactoe@0.1.0', 1, () => 'never')
    const { messages, reward } = sound.champion
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('A1', 'B2', ...messages.map(({ content }) => content)),
    )
    const message = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      content: text,
    })
    const hostile = fc.record({
      env: fc.constantFrom('tictactoe@0.1.0', 'mult8@0.1.0', '__proto__', 'no@1.0.0'),
      challengeId: fc.constantFrom(sound.challengeId, '1'.repeat(32), '2'.repeat(44)),
      messages: fc.array(fc.oneof(message, fc.constantFrom(...messages)), { maxLength: 12 }),
      reward: fc.constantFrom(reward, -1, 0, 1),
    })
    fc.assert(
      fc.property(hostile, ({ messages, reward, ...rest }) => {
        const sample = { ...sound, ...rest, champion: { ...sound.champion, messages, reward } }
        const want =
          rest.challengeId === sound.challengeId
            ? [undefined, 'unreadable', 'illegal']
            : [undefined]
        expect(want).toContain(forfeitOf(sample, 'champion'))
      }),
    )
    expect(forfeitOf(sound, 'champion')).toBe('unreadable')
  })
})
