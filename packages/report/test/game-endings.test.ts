import { type Agent, make, type PerSide, playGame, unbegunGame } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { idOf } from '../../envs/test/ids.ts'
import { describeEnding, formatEnding, formatFault, replaySide, type Side } from '../src/index.ts'

const { spec } = make('hex@0.1.0')
const ID = idOf(spec.id, 0)
const game = <Of>(sides: PerSide<Of>) => ({ env: spec.id, challengeId: ID, ...sides })
const other = (side: Side): Side => (side === 'champion' ? 'contender' : 'champion')

/** Returns the board of a prompt, line by line. */
const boardIn = (prompt: string): readonly string[] => prompt.split('\n\n')[1]?.split('\n') ?? []

/** Plays the scripted player against itself. `answer` replies at turn `turn`, from 0. */
async function endedGame(turn: number, answer: (prompt: string) => ReturnType<Agent>) {
  const prompts: { readonly side: Side; readonly prompt: string }[] = []
  const agentOf =
    (side: Side): Agent =>
    ([message]) => {
      const prompt = message?.content ?? ''
      prompts.push({ side, prompt })
      return prompts.length > turn ? answer(prompt) : { content: spec.solve(prompt) }
    }
  const sides = { champion: agentOf('champion'), contender: agentOf('contender') }
  const played = game(await playGame({ spec }, ID, sides))
  const { side: mover = 'champion', prompt = '' } = prompts.at(-1) ?? {}
  return { played, mover, prompt }
}

/** Returns the first cell of a prompt's board whose mark matches `mark`. */
function cellWith(mark: RegExp, prompt = ''): string {
  const rows = boardIn(prompt).slice(1)
  const row = rows.find((line) => mark.test(line)) ?? ''
  return `${row[0]}${row.search(mark) / 2}`
}

const ANSWERS: Readonly<Record<string, (prompt: string) => ReturnType<Agent>>> = {
  'no cell': () => ({ content: 'So\nI resign.' }),
  nothing: () => ({ content: ' \n' }),
  'a taken cell': (prompt) => ({ content: cellWith(/[XO]/, prompt) }),
  'nothing in time': () => ({ fault: 'no-reply' }),
}

it.each(Object.entries(ANSWERS))(
  'a game with the forfeit "%s" shows the mover the board and the scripted reply',
  async (_, answer) => {
    for (const turn of [0, 1, 7]) {
      const { played, mover, prompt } = await endedGame(turn, answer)
      const [first = '', ...shown] = formatEnding(describeEnding(played, mover))
      expect(first).toMatch(/^forfeited: /)
      expect(shown.slice(0, -1)).toEqual(boardIn(prompt).map((line) => `  ${line}`))
      expect(shown.at(-1)).toContain(spec.solve(prompt))
      const rivals = formatEnding(describeEnding(played, other(mover)))
      expect(rivals).toEqual(['won: the opponent forfeited'])
      expect(replaySide(played, mover)?.moves).toHaveLength(turn + 1)
      const { fault } = played[mover]
      const text = formatFault({ miner: mover, ms: 0, ...played[mover] })
      expect(text).toBe(fault === undefined ? '' : `, forfeited: ${fault}`)
    }
  },
)

it('formats a game that was never begun, and each forfeit', async () => {
  const unbegun = describeEnding(game(unbegunGame({ spec })), 'champion')
  const texts = [`never begun\n${formatEnding(unbegun).join('\n')}\n`]
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const { played, mover } = await endedGame(7, answer)
    texts.push(`${name}\n${formatEnding(describeEnding(played, mover)).join('\n')}\n`)
  }
  await expect(texts.join('\n')).toMatchFileSnapshot('snapshots/game-endings.txt')
})

it('describes only the reward of a game with a move out of turn', async () => {
  const { played, mover } = await endedGame(3, () => ({ content: 'I resign.' }))
  const late = { role: 'assistant', content: 'A1' } as const
  const more = { ...played[other(mover)], messages: [...played[other(mover)].messages, late] }
  const early = { ...played[other(mover)], messages: [] }
  for (const wrong of [more, early]) {
    const altered = { ...played, [other(mover)]: wrong }
    expect(formatEnding(describeEnding(altered, mover))).toEqual(['reward -1'])
    expect(formatEnding(describeEnding(altered, other(mover)))).toEqual(['reward 1'])
    expect(replaySide(altered, mover)).toBeUndefined()
  }
})

/** Plays a player that always takes the first empty cell against the scripted player. */
async function lostGame(index: number) {
  const challengeId = idOf(spec.id, index)
  const played = await playGame({ spec }, challengeId, {
    champion: ([prompt]) => ({ content: cellWith(/\./, prompt?.content) }),
    contender: ([prompt]) => ({ content: spec.solve(prompt?.content ?? '') }),
  })
  return { env: spec.id, challengeId, ...played }
}

describe('a lost game', () => {
  it('names the reply after which the scripted player would resign', async () => {
    const seen = new Set<string>()
    for (let index = 0; index < 12; index++) {
      const game = await lostGame(index)
      const course = replaySide(game, 'champion')
      const { givenUpAfter: replies, better, why } = describeEnding(game, 'champion')
      if (course === undefined || replies === undefined) throw new Error('no lost game')
      expect(why).toMatch(/^lost: [XO] joined /)
      const causes = course.turns.map((turn) => spec.explain?.whyGivenUp?.(turn.observation))
      expect(causes.slice(replies)).not.toContain(undefined)
      expect(causes[replies - 1]).toBe(undefined)
      expect(better).toContain(causes[replies])
      const turn = course.turns[replies - 1]
      expect(better).toContain(turn === undefined ? '' : `${replies}, ${turn.reply}, `)
      expect(better).toContain(turn === undefined ? '' : spec.solve(turn.prompt))
      seen.add(better ?? '')
      expect(describeEnding(game, 'contender').givenUpAfter).toBe(undefined)
    }
    await expect([...seen, ''].join('\n')).toMatchFileSnapshot('snapshots/given-up.txt')
  })

  it('alternates the moves of both sides, and ends with the connected board', async () => {
    const game = await lostGame(1)
    const [mine, theirs] = [replaySide(game, 'champion'), replaySide(game, 'contender')]
    const moves = mine?.moves ?? []
    expect(moves.length).toBe((mine?.turns.length ?? 0) + (theirs?.turns.length ?? 0))
    for (const [i, { side, turn }] of moves.entries()) {
      expect(side).not.toBe(moves[i + 1]?.side)
      expect((side === 'champion' ? mine : theirs)?.turns).toContainEqual(turn)
    }
    const marked = mine?.lastPicture?.shapes.filter(({ isMarked }) => isMarked === true) ?? []
    expect(marked.length).toBeGreaterThanOrEqual(7)
    expect(marked.map(({ says }) => says)).toContainEqual(
      expect.stringMatching(new RegExp(`^${moves.at(-1)?.turn.reply} `)),
    )
  })
})
