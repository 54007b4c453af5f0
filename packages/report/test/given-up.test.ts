import { make, playGame } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import * as ids from '../../envs/test/ids.ts'
import { describeEnding, replaySide } from '../src/index.ts'

const { spec } = make('hex@0.1.0')
const idOf = (index: number): string => ids.idOf(spec.id, index)

function firstCell(prompt: string): string {
  const rows = prompt.match(/^[A-K]( [.XO])+$/gm) ?? []
  const row = rows.findIndex((line) => line.includes('.'))
  const column = rows[row]?.slice(2).split(' ').indexOf('.') ?? 0
  return `${'ABCDEFGHIJK'[row]}${column + 1}`
}

/** Plays a player that always takes the first empty cell against the scripted player. */
async function lostGame(index: number) {
  const scripted = (prompt: string) => ({ content: spec.solve(prompt) })
  const played = await playGame({ spec }, idOf(index), {
    champion: ([prompt]) => ({ content: firstCell(prompt?.content ?? '') }),
    contender: ([prompt]) => scripted(prompt?.content ?? ''),
  })
  return { env: spec.id, challengeId: idOf(index), ...played }
}

describe('a lost game', () => {
  it('names the reply after which the scripted player would resign', async () => {
    const seen = new Set<string>()
    for (let index = 0; index < 12; index++) {
      const game = await lostGame(index)
      const course = replaySide(game, 'champion')
      const { givenUpAfter: replies, better, why } = describeEnding(game, 'champion')
      if (course === undefined || replies === undefined) throw new Error('it is lost')
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
