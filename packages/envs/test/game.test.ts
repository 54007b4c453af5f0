import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkEnv } from '../src/check-env.ts'
import {
  type Agent,
  challengeId,
  defineGame,
  Env,
  type Message,
  make,
  type PerSide,
  playGame,
  replayGame,
  replayGameFrom,
  type Side,
  seedOf,
  spaces,
  type Transcript,
  unbegunGame,
} from '../src/index.ts'

const zeros = '0'.repeat(64)
const parts = { genesis: zeros, netuid: 1, specHash: zeros, validator: 'v', epoch: 0 }
const idOf = (index: number): string =>
  challengeId({ ...parts, env: 'hex@0.1.0', beacon: zeros, secret: zeros, index })
const env = make('hex@0.1.0')
const scripted: Agent = (asked) => ({ content: env.spec.solve(asked[0]?.content ?? '') })
const other = (side: Side): Side => (side === 'champion' ? 'contender' : 'champion')
const both = <Of>(of: (side: Side) => Of): PerSide<Of> => ({
  champion: of('champion'),
  contender: of('contender'),
})
const recordOf = (game: PerSide<Transcript>): PerSide<readonly Message[]> =>
  both((side) => game[side].messages)

/** A game in which the reply at `turn`, from 0, is another one than the scripted player's. */
async function spoiledGame(index: number, turn: number, answer: ReturnType<Agent>) {
  let turns = 0
  const movers: Side[] = []
  const agents = both(
    (side): Agent =>
      (asked) => {
        movers.push(side)
        return turns++ === turn ? answer : scripted(asked)
      },
  )
  const game = await playGame(env, idOf(index), agents)
  return { game, mover: movers.at(-1) as Side }
}

describe('a game', () => {
  test('is won by one side, is played in turn, and replays', async () => {
    const winners = new Set<Side>()
    const firsts = new Set<Side>()
    for (let index = 0; index < 40; index++) {
      const asked: (readonly [Side, string])[] = []
      const agents = both(
        (side): Agent =>
          (messages) => {
            expect(messages).toHaveLength(1)
            asked.push([side, messages[0]?.content ?? ''])
            return scripted(messages)
          },
      )
      const game = await playGame(env, idOf(index), agents)
      const [first = ['champion', '']] = asked
      firsts.add(first[0])
      expect(first[1]).toMatch(/^Hex: you are X/)
      for (const [turn, [side]] of asked.entries())
        expect(side).toBe(turn % 2 === 0 ? first[0] : other(first[0]))
      const [winner] = asked.at(-1) ?? ['champion']
      winners.add(winner)
      expect([game[winner].reward, game[other(winner)].reward]).toEqual([1, -1])
      const value = both((side) => ({ reward: game[side].reward, fault: false }))
      expect(replayGame(env, idOf(index), recordOf(game))).toEqual({ ok: true, value })
      expect(replayGameFrom(env, seedOf(idOf(index)), recordOf(game))).toEqual({ ok: true, value })
    }
    expect([winners.size, firsts.size]).toEqual([2, 2])
  })

  test.each([
    ['no legal move', { content: 'A1\nmy move' }, undefined],
    ['a line that is too long', { content: 'x'.repeat(5000) }, undefined],
    ['no usable reply', { fault: 'no-reply' }, 'no-reply'],
  ] as const)('that ends by %s is lost by the mover', async (_, answer, fault) => {
    for (const turn of [0, 1, 6]) {
      const { game, mover } = await spoiledGame(3, turn, answer)
      const [lost, won] = [game[mover], game[other(mover)]]
      expect([lost.reward, won.reward, lost.fault, won.fault]).toEqual([-1, 1, fault, undefined])
      expect(lost.messages.at(-1)?.role).toBe(fault === undefined ? 'assistant' : 'user')
      expect(lost.messages.length + won.messages.length).toBe(2 * turn + (fault ? 1 : 2))
      if (turn > 0) expect(won.messages.at(-1)?.role).toBe('assistant')
      const value = both((side) => {
        const { reward } = game[side]
        return { reward, fault: fault !== undefined && side === mover }
      })
      expect(replayGame(env, idOf(3), recordOf(game))).toMatchObject({ ok: true, value })
    }
  })

  test('that was never begun is a tie, and both have no reply', () => {
    const game = unbegunGame(env)
    const none = { messages: [], reward: -1, fault: 'no-reply' }
    expect(game).toEqual({ champion: none, contender: none })
    const value = both(() => ({ reward: -1, fault: true }))
    expect(replayGame(env, idOf(0), recordOf(game))).toEqual({ ok: true, value })
  })

  test('keeps of a reply its answer as it is written, and what the platform said', async () => {
    const { game, mover } = await spoiledGame(3, 0, { content: 'Let me resign:\n\n`k11`.\n' })
    expect(game[mover].messages[1]?.content).toBe('K11')
    const dressed: Agent = (asked) => ({
      content: `So\n**${env.spec.solve(asked[0]?.content ?? '').toLowerCase()}**.\n`,
    })
    expect(
      await playGame(
        env,
        idOf(0),
        both(() => dressed),
      ),
    ).toEqual(
      await playGame(
        env,
        idOf(0),
        both(() => scripted),
      ),
    )
  })

  test('keeps of a reply that cannot be read its answer, and what the platform said', async () => {
    const answer = { content: '\u001b[1mI weigh\tit.\r\nZ\u200b9', invocation: 'call-1', ms: 7 }
    const { game, mover } = await spoiledGame(5, 0, answer)
    expect(game[mover].messages[1]).toEqual({
      ...{ role: 'assistant', content: 'Z\ufffd9', invocation: 'call-1', ms: 7 },
    })
  })

  test('keeps of a long reply its answer, and of a long last line its end', async () => {
    const replies = [`${'x'.repeat(5000)}\nI resign.`, `I\n${'\\'.repeat(5000)}`, 'x'.repeat(641)]
    const kept = ['I resign', '\\'.repeat(272), 'x'.repeat(544)]
    for (const [at, content] of replies.entries()) {
      const { game, mover } = await spoiledGame(5, 0, { content })
      expect(game[mover].messages[1]?.content).toBe(kept[at])
      expect(replayGame(env, idOf(5), recordOf(game))).toMatchObject({ ok: true })
    }
    const wordy: Agent = ([prompt]) => ({
      content: `${'x'.repeat(5000)}\n${env.spec.solve(prompt?.content ?? '')}`,
    })
    const short = await playGame(
      env,
      idOf(5),
      both(() => scripted),
    )
    expect(
      await playGame(
        env,
        idOf(5),
        both(() => wordy),
      ),
    ).toEqual(short)
  })

  test('needs an environment of two players and a challenge', async () => {
    const agents = both(() => scripted)
    const one = make('mult8-v0')
    await expect(playGame(one, idOf(0), agents)).rejects.toThrow('expected one of two players')
    await expect(playGame(env, 'x', agents)).rejects.toThrow('base58')
    expect(() =>
      replayGameFrom(
        one,
        1n,
        both(() => []),
      ),
    ).toThrow(RangeError)
    expect(() => unbegunGame(one)).toThrow(RangeError)
    expect(
      replayGame(
        env,
        'x',
        both(() => []),
      ),
    ).toMatchObject({ code: 'BAD_CHALLENGE_ID' })
  })
})

describe('the replay of a game says what is first wrong', () => {
  const change = async (altered: (lists: Record<'mover' | 'other', Message[]>) => void) => {
    const game = await playGame(
      env,
      idOf(0),
      both(() => scripted),
    )
    const firstSide = game.champion.messages.length >= game.contender.messages.length
    // Index 0 is won by whoever is first, with one message pair more.
    const mover: Side = firstSide ? 'champion' : 'contender'
    const lists = { mover: [...game[mover].messages], other: [...game[other(mover)].messages] }
    altered(lists)
    const side = (each: Side) => (each === mover ? lists.mover : lists.other)
    const result = replayGame(env, idOf(0), both(side))
    return result.ok ? result.value : result.code
  }
  const reply = (content: string): Message => ({ role: 'assistant', content })

  test.each<[string, string, Parameters<typeof change>[0]]>([
    ['a list that is empty where its prompt is due', 'TOO_SHORT', ({ mover }) => mover.splice(0)],
    ['the other list empty', 'TOO_SHORT', ({ other }) => other.splice(0)],
    ['a list that ends in the middle, with a reply', 'TOO_SHORT', ({ other }) => other.splice(4)],
    ['messages left behind a winning move', 'TOO_LONG', ({ mover }) => mover.push(reply('A1'))],
    ['a prompt left for the other player', 'TOO_LONG', ({ mover, other }) => other.push(mover[0]!)],
    ['the end by a prompt, and the game goes on', 'TOO_LONG', ({ mover }) => mover.splice(3)],
    [
      'an illegal move, and the game goes on',
      'TOO_LONG',
      ({ other }) => other.splice(1, 1, reply('?')),
    ],
    [
      'a move of the other player',
      'PROMPT_DIFFERS',
      ({ mover, other }) => mover.splice(1, 1, other[1]!),
    ],
    [
      'the prompts exchanged',
      'PROMPT_DIFFERS',
      (lists) => lists.mover.splice(0, 1, lists.other[0]!),
    ],
    ['more than the answer', 'NOT_NORMALISED', ({ mover }) => mover.splice(1, 1, reply('So\nA1'))],
    [
      'a move that is written otherwise',
      'NOT_NORMALISED',
      ({ other }) => other.splice(1, 1, reply(`${other[1]?.content.toLowerCase()}`)),
    ],
    [
      'what is no answer of a reply',
      'NOT_NORMALISED',
      ({ mover }) => mover.splice(1, 1, reply('no.')),
    ],
    [
      'an escape sequence',
      'NOT_NORMALISED',
      ({ other }) => other.splice(1, 1, reply('\u001b[1mA1')),
    ],
    [
      'a reply of 641 bytes',
      'NOT_NORMALISED',
      ({ mover }) => mover.splice(1, 1, reply('x'.repeat(641))),
    ],
    ['a reply twice', 'WRONG_ROLE', ({ mover }) => mover.splice(1, 0, mover[1]!)],
    ['no message', 'WRONG_ROLE', ({ other }) => other.splice(1, 1, undefined as never)],
  ])('%s: %s', async (_, code, altered) => {
    expect(await change(altered)).toBe(code)
  })

  test('and tells of moves out of turn', async () => {
    const { champion, contender } = await playGame(
      env,
      idOf(0),
      both(() => scripted),
    )
    const recorded = { champion: champion.messages, contender: contender.messages }
    const first: Side =
      recorded.champion.length > recorded.contender.length ? 'champion' : 'contender'
    const early = { ...recorded, [first]: [] }
    expect(replayGame(env, idOf(0), early)).toMatchObject({
      code: 'TOO_SHORT',
      detail: `${first}, message 0: it is its turn, and this is missing`,
    })
    const at = recorded[first].length
    const more = { ...recorded, [first]: [...recorded[first], reply('A1')] }
    expect(replayGame(env, idOf(0), more)).toMatchObject({
      code: 'TOO_LONG',
      detail: `${first}, message ${at}: out of turn, because the game is over`,
    })
  })

  test('what is no list is too short', () => {
    const hostile = { champion: null, contender: [] } as unknown as PerSide<Message[]>
    expect(replayGame(env, idOf(0), hostile)).toMatchObject({ code: 'TOO_SHORT' })
  })

  test('never throws, whatever comes in, and other records are other games', async () => {
    const games = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        playGame(
          env,
          idOf(index),
          both(() => scripted),
        ),
      ),
    )
    const known = games.flatMap((game) => [...game.champion.messages, ...game.contender.messages])
    const message = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...known) },
      fc.anything(),
      fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.anything() }),
    )
    const list = fc.oneof(fc.array(message), fc.sparseArray(message), fc.anything())
    const recorded = fc.oneof(
      fc.record({ champion: list, contender: list }),
      fc.tuple(fc.nat({ max: 3 }), fc.nat(), fc.nat()).map(([game, a, b]) =>
        both((side) => {
          const { messages } = games[game]![side]
          const at = (side === 'champion' ? a : b) % (messages.length + 1)
          return messages.slice(0, at)
        }),
      ),
    )
    fc.assert(
      fc.property(fc.nat({ max: 3 }), recorded, (index, lists) => {
        const result = replayGame(env, idOf(index), lists as PerSide<Message[]>)
        if (!result.ok) return
        const { champion, contender } = result.value
        const isUnbegun = champion.fault && contender.fault
        expect(champion.reward === contender.reward).toBe(isUnbegun)
      }),
      { numRuns: 5000 },
    )
  })
})

describe('a game for one player', () => {
  test('has the scripted player as its opponent, who is first in half of them', () => {
    const starts = [...Array(60).keys()].map((seed) => {
      const [board] = env.reset({ seed }) as [readonly number[], unknown]
      return board.filter((mark) => mark === 1).length - board.filter((mark) => mark === 2).length
    })
    expect(new Set(starts)).toEqual(new Set([0, 1]))
    let [won, lost] = [0, 0]
    for (let seed = 0; seed < 40; seed++) {
      let [observation] = env.reset({ seed })
      while (!env.over) [observation] = env.step(env.parse(env.spec.solve(env.prompt(observation))))
      if (env.total === 1) won += 1
      else lost += 1
      expect(Math.abs(env.total)).toBe(1)
    }
    expect(Math.min(won, lost)).toBeGreaterThan(5)
  })
})

describe('the checks of two players', () => {
  /** Whoever says the third number wins. */
  const counting = {
    name: 'counting',
    version: '0.1.0',
    maxSteps: 9,
    replyMs: 1000,
    clockMs: 5000,
    lowestReward: -1,
    highestReward: 1,
    actionSpace: spaces.Discrete(3),
    observationSpace: spaces.Box({ low: 0, high: 9, length: 1 }),
    initial: (random: { integers(low: number, high: number): number }) => random.integers(1, 9),
    truth: (left: number) => left,
    difficulty: (left: number) => left,
    observe: (left: number) => [left],
    step: (left: number, take: number) => {
      if (take === 0) return null
      const rest = Math.max(0, left - take)
      return { state: rest, won: rest === 0 }
    },
    prompt: ([left]: readonly number[]) => `${left} are left. Take 1 or 2; the last wins.`,
    parse: (line: string) => (/^[12]$/.test(line) ? Number(line) : null),
    format: String,
    solve: (prompt: string) => {
      const left = Number(/^[0-9]+/.exec(prompt)?.[0])
      return String(left % 3 === 2 ? 2 : 1)
    },
    guess: (_: string, random: { integers(low: number, high: number): number }) =>
      String(random.integers(0, 3)),
  } as const

  test('the sound one passes', () => {
    checkEnv(new Env(defineGame(counting)))
  })

  test.each([
    ['a game that outlasts its limit', { maxSteps: 2 }, 'a winner within 2 replies'],
    [
      'a scripted player that is refused later in the game',
      { step: (left: number) => (left < 4 ? null : { state: left - 1, won: false }) },
      'to be a legal move',
    ],
  ])('%s is caught', (_, change, error) => {
    const broken = () => checkEnv(new Env(defineGame({ ...counting, ...change })))
    expect(broken).toThrow(error)
  })

  test('a clock is a whole number of milliseconds', () => {
    expect(() => defineGame({ ...counting, clockMs: 0.5 })).toThrow(RangeError)
  })
})
