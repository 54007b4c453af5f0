import type { ChallengePair } from '@affine/blocks'
import { make } from '@affine/envs'

const { spec } = make('hex@0.1.0')

/** What has to be said of a game of hex to the side that lost it, by the messages alone. */
export function lostGameTexts(
  game: ChallengePair,
  side: 'champion' | 'contender',
): readonly string[] {
  const own = saidIn(game[side])
  const rival = saidIn(game[side === 'champion' ? 'contender' : 'champion'])
  const [prompt, move] = [rival.prompts.at(-1) ?? '', rival.replies.at(-1) ?? '']
  if (marksIn(own.prompts.at(-1) ?? '') > marksIn(prompt)) return forfeitTexts(own)
  const [, mark = '', sides = ''] = /^Hex: you are (.) and joins? (.+), the opp/.exec(prompt) ?? []
  const { row, column } = placeOf(move)
  const board = boardIn(prompt).map((line, at) =>
    at === row ? `${line.slice(0, 2 * column)}${mark}${line.slice(2 * column + 1)}` : line,
  )
  const why = `lost: ${mark} joined ${sides}`
  return [why, ...board.map((line) => `  ${line}`), givenUpText(own)]
}

interface Said {
  readonly prompts: readonly string[]
  readonly replies: readonly string[]
}

function saidIn({ messages }: ChallengePair['champion']): Said {
  const by = (role: string) =>
    messages.filter((message) => message.role === role).map(({ content }) => content)
  return { prompts: by('user'), replies: by('assistant') }
}

function forfeitTexts({ prompts, replies }: Said): readonly string[] {
  const [prompt = '', reply = ''] = [prompts.at(-1), replies.at(-1)]
  const shown = boardIn(prompt).map((line) => `  ${line}`)
  return [
    `forfeited: ${whyForfeited(reply)}`,
    ...shown,
    `the scripted player replies ${spec.solve(prompt)}`,
  ]
}

/** The players of a demo are neither late, nor do they say too much. */
function whyForfeited(reply: string): string {
  const isMove = /^[A-K]([1-9]|1[01])$/.test(reply)
  return isMove ? `"${reply}" is not allowed there` : `the last line, "${reply}", is no answer`
}

/** After the last reply from whose prompt on the loser needs more cells than its opponent. */
function givenUpText({ prompts, replies }: Said): string {
  const after = prompts.map(isBehind).lastIndexOf(false) + 1
  if (after === 0) return 'the scripted player gives this up before the first reply'
  const [reply = '', best] = [replies[after - 1], spec.solve(prompts[after - 1] ?? '')]
  const text = `the scripted player gives this up after reply ${after}, ${reply}`
  return reply === best ? text : `${text}: it would have replied ${best}`
}

/** The lines of the board, its columns first. */
const boardIn = (prompt: string): readonly string[] => prompt.split('\n\n')[1]?.split('\n') ?? []
const marksIn = (prompt: string): number => boardIn(prompt).join('').match(/[XO]/g)?.length ?? 0
/** Where a move is in those lines. */
const placeOf = (move: string) => ({
  row: move.charCodeAt(0) - 64,
  column: Number(move.slice(1)),
})

function isBehind(prompt: string): boolean {
  const [, own] = /^Hex: you are (.)/.exec(prompt) ?? []
  const rows = boardIn(prompt)
    .slice(1)
    .map((line) => line.slice(2).split(' '))
  const columns = rows.map((_, at) => rows.map((row) => row[at] ?? ''))
  const [x, o] = [cellsNeeded(rows, 'X'), cellsNeeded(columns, 'O')]
  return own === 'X' ? x > o : o > x
}

/** How many empty cells a mark needs to join the first row with the last. */
function cellsNeeded(rows: readonly (readonly string[])[], mark: string): number {
  const costs = rows.map((row) => row.map((cell) => costOf(cell, mark)))
  const least = costs.map((row) => row.map(() => Number.POSITIVE_INFINITY))
  const at = (row: number, column: number) => least[row]?.[column] ?? Number.POSITIVE_INFINITY
  // A shortest chain is no longer than the board has cells.
  for (let round = 0; round < rows.length ** 2; round++)
    for (const [r, row] of least.entries())
      for (const c of row.keys()) {
        const beside = [at(r, c - 1), at(r, c + 1), at(r - 1, c), at(r - 1, c + 1)]
        const before = r === 0 ? 0 : Math.min(...beside, at(r + 1, c), at(r + 1, c - 1))
        row[c] = Math.min(at(r, c), before + (costs[r]?.[c] ?? 0))
      }
  return Math.min(...(least.at(-1) ?? []))
}

function costOf(cell: string, mark: string): number {
  if (cell === mark) return 0
  return cell === '.' ? 1 : Number.POSITIVE_INFINITY
}
