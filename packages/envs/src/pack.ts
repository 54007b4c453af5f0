import type { EnvSpec } from './definition.ts'
import { type LastTurn, type Picture, type PictureShape, rectangle } from './explanation.ts'
import {
  BOX_HEIGHT,
  BOX_WIDTH,
  type CutBox,
  computeArea,
  cutBox,
  isOverlapping,
  type PieceSides,
  type Placement,
  turn,
} from './pack-cutting.ts'
import { scriptedPacking } from './pack-search.ts'
import { Box } from './spaces.ts'
import { defineEnv } from './spec.ts'

/** Maximum number of pieces and of placements. */
const MAX_PIECES = 32
const NUMBER = '(?:0|[1-9][0-9]?)'
const PLACEMENT = `${NUMBER}(?:,${NUMBER}){3}`
const PLACEMENTS = /* @__PURE__ */ new RegExp(
  `^${PLACEMENT}(?: ${PLACEMENT}){0,${MAX_PIECES - 1}}$`,
)

/**
 * Packing of 8 to 32 rectangles into the box that was cut into them, in one reply. The reward is
 * the covered area, at most 2400. Observations and actions are padded with zeros to 32 pieces and
 * placements. Protocol §3.8.
 */
export const pack: EnvSpec = /* @__PURE__ */ defineEnv<
  CutBox,
  readonly number[],
  readonly number[]
>({
  name: 'pack',
  version: '0.1.0',
  maxSteps: 1,
  replyMs: 30_000,
  lowestReward: 0,
  highestReward: BOX_WIDTH * BOX_HEIGHT,
  actionSpace: /* @__PURE__ */ Box({ low: 0, high: 99, length: 4 * MAX_PIECES }),
  observationSpace: /* @__PURE__ */ Box({ low: 0, high: BOX_WIDTH, length: 2 * MAX_PIECES }),
  initial: cutBox,
  truth: ({ cutting }) => formatPlacements(cutting),
  difficulty: ({ pieces }) => pieces.length,
  observe: ({ pieces }) => {
    const sides: number[] = []
    for (const { width, height } of pieces) sides.push(width, height)
    while (sides.length < 2 * MAX_PIECES) sides.push(0)
    return sides
  },
  step: (state, action) => {
    const reward = sumEarned(judgePlacements(state.pieces, readPlacements(action)))
    return { state, reward, terminated: true }
  },
  prompt: writePackPrompt,
  parse: (answer) => (PLACEMENTS.test(answer) ? parseNumbers(answer, 4 * MAX_PIECES) : null),
  format: (action) => formatPlacements(readPlacements(action)),
  solve: (prompt) => formatPlacements(scriptedPacking(readPrompt(prompt))),
  guess: (prompt, random) => {
    const pieces = readPrompt(prompt)
    const count = random.integers(1, 9)
    return formatPlacements(
      Array.from({ length: count }, (): Placement => {
        const piece = pieces[random.integers(0, pieces.length)] as PieceSides
        const sides = random.integers(0, 2) === 1 ? turn(piece) : piece
        const [x, y] = [random.integers(0, BOX_WIDTH), random.integers(0, BOX_HEIGHT)]
        return { x, y, ...sides }
      }),
    )
  },
  explain: {
    title: 'the packing of rectangles (pack)',
    picture: (observation, action) => action && drawPackPicture(judgeAction(observation, action)),
    worth: (observation, action) => sumEarned(judgeAction(observation, action)),
    ending: explainArea,
  },
})

/** A placement and its flaw. A placement without a flaw earns its area. */
interface JudgedPlacement {
  readonly placement: Placement
  readonly flaw: 'no such piece is left' | 'outside the box' | 'on another piece' | undefined
}

/**
 * Judges placements in order. Each uses up a piece with the same sides, and earns its area if it is
 * in the box and on free squares. Protocol §3.8.
 */
function judgePlacements(
  pieces: readonly PieceSides[],
  placements: readonly Placement[],
): readonly JudgedPlacement[] {
  const left = [...pieces]
  const accepted: Placement[] = []
  const findFlaw = (placement: Placement): JudgedPlacement['flaw'] => {
    const { x, y, width, height } = placement
    const at = left.findIndex(
      (piece) =>
        (piece.width === width && piece.height === height) ||
        (piece.width === height && piece.height === width),
    )
    if (at === -1) return 'no such piece is left'
    // The last piece fills the gap, because the order of the remaining pieces has no effect.
    left[at] = left.at(-1) as PieceSides
    left.pop()
    if (x + width > BOX_WIDTH || y + height > BOX_HEIGHT) return 'outside the box'
    if (accepted.some((other) => isOverlapping(other, placement))) return 'on another piece'
    accepted.push(placement)
    return undefined
  }
  return placements.map((placement) => ({ placement, flaw: findFlaw(placement) }))
}

const sumEarned = (judgements: readonly JudgedPlacement[]): number =>
  judgements.reduce(
    (sum, { placement, flaw }) => (flaw === undefined ? sum + computeArea(placement) : sum),
    0,
  )

/** Returns a judgement in words, as "0,0,12,7 earns 84". */
function formatJudgement({ placement, flaw }: JudgedPlacement): string {
  const earns = flaw === undefined ? `${computeArea(placement)}` : `nothing: ${flaw}`
  return `${formatPlacements([placement])} earns ${earns}`
}

/** Length of a square's side in the picture. */
const SQUARE = 10

/**
 * Returns a picture of the box with the numbered placements. The picture is as large as the box, so
 * a viewer cuts off the part of a placement outside the box.
 */
function drawPackPicture(judgements: readonly JudgedPlacement[]): Picture {
  const [width, height] = [SQUARE * BOX_WIDTH, SQUARE * BOX_HEIGHT]
  const placed = judgements.map((each, at): PictureShape => {
    const { x, y, width, height } = each.placement
    return {
      kind: each.flaw === undefined ? 'first' : 'wrong',
      corners: rectangle(SQUARE * x, SQUARE * y, SQUARE * width, SQUARE * height),
      text: String(at + 1),
      says: formatJudgement(each),
    }
  })
  const box: PictureShape = { kind: 'empty', corners: rectangle(0, 0, width, height) }
  return { width, height, shapes: [box, ...placed] }
}

const judgeAction = (
  observation: readonly number[],
  action: readonly number[],
): readonly JudgedPlacement[] => judgePlacements(readPieces(observation), readPlacements(action))

/**
 * Returns the numbers in a text, in which one other character separates two numbers, padded with
 * zeros to `length` numbers.
 */
function parseNumbers(text: string, length: number): readonly number[] {
  const numbers = Array<number>(length).fill(0)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit >= 0 && digit <= 9) numbers[count] = 10 * (numbers[count] ?? 0) + digit
    else count += 1
  }
  return numbers
}

const formatPlacements = (placements: readonly Placement[]): string =>
  placements.map(({ x, y, width, height }) => `${x},${y},${width},${height}`).join(' ')

/** Returns the placements of an action, at least one, without the zeros at its end. */
function readPlacements(action: readonly number[]): readonly Placement[] {
  const numberAt = (at: number): number => action[at] ?? 0
  let length = action.length
  while (length > 1 && action[length - 1] === 0) length -= 1
  const placements: Placement[] = []
  for (let at = 0; at < length; at += 4)
    placements.push({
      x: numberAt(at),
      y: numberAt(at + 1),
      width: numberAt(at + 2),
      height: numberAt(at + 3),
    })
  return placements
}

function readPieces(observation: readonly number[]): readonly PieceSides[] {
  const pieces: PieceSides[] = []
  for (let at = 0; at < observation.length && observation[at] !== 0; at += 2)
    pieces.push({ width: observation[at] ?? 0, height: observation[at + 1] ?? 0 })
  return pieces
}

function writePackPrompt(observation: readonly number[]): string {
  const pieces = readPieces(observation).map(({ width, height }) => `${width}x${height}`)
  return (
    `Pack pieces into a box ${BOX_WIDTH} wide and ${BOX_HEIGHT} high; ` +
    'x counts from the left, y from the top, both from 0. The pieces, width x height:\n\n' +
    `${pieces.join(' ')}\n\n` +
    'Each may be used once, and turned. ' +
    'You earn the area of those in the box that overlap none placed before. All fit.\n' +
    'You may think first. Give the placements, ' +
    'single spaces between, alone on the last line, nothing after it: ' +
    'x,y,width,height of each as it lies, x and y at its top left, such as 0,0,12,7 12,0,5,7'
  )
}

/** Returns the pieces of a prompt. @throws TypeError for any other text. */
function readPrompt(prompt: string): readonly PieceSides[] {
  const [, list] = /^Pack pieces into a box [^\n]*\n\n([0-9x ]+)\n\n/.exec(prompt) ?? []
  if (list === undefined) throw new TypeError('"prompt" expected a prompt of pack')
  return readPieces(parseNumbers(list, 2 * MAX_PIECES))
}

/** Returns the covered area, and the first placement that earned nothing. */
function explainArea({ before, action, reward }: LastTurn<readonly number[], readonly number[]>) {
  const judgements = judgeAction(before, action)
  const rejected = judgements.filter(({ flaw }) => flaw !== undefined)
  const counts = `${judgements.length - rejected.length} of ${judgements.length} placements`
  const covered = `covered ${reward.toLocaleString('en-US')} of 2,400 with ${counts}`
  return [covered, ...rejected.slice(0, 1).map(formatJudgement)].join('; ')
}
