import type { EnvSpec } from './definition.ts'
import { type LastTurn, type Picture, type PictureShape, rectangle } from './explanation.ts'
import { Box, Text } from './spaces.ts'
import { defineEnv } from './spec.ts'

const DIGITS = /* @__PURE__ */ Text({ minLength: 15, maxLength: 16, charset: '0123456789' })
/** 15 or 16 digits, plain or in groups of three. */
const PRODUCT = /^[1-9]([0-9]{14,15}|[0-9]{2}(,[0-9]{3}){4}|(,[0-9]{3}){5})$/
const FACTORS = /* @__PURE__ */ Box({ low: 10_000_000, high: 99_999_999, length: 2 })

/** 8-digit multiplication, one turn. Reward 1 for the exact product, otherwise 0. Protocol §3.4. */
export const mult8: EnvSpec = /* @__PURE__ */ defineEnv<
  readonly number[],
  readonly number[],
  string
>({
  name: 'mult8',
  version: '0.1.0',
  maxSteps: 1,
  replyMs: 30_000,
  lowestReward: 0,
  highestReward: 1,
  actionSpace: DIGITS,
  observationSpace: FACTORS,
  initial: FACTORS.sample,
  truth: multiply,
  difficulty: () => 8,
  observe: (factors) => factors,
  // Comparing texts is enough, because `parse` returns a product in only one form.
  step: (factors, answer) => ({
    state: factors,
    reward: answer === multiply(factors) ? 1 : 0,
    terminated: true,
  }),
  prompt: ([a, b]) =>
    `Compute ${a} * ${b}.\n` +
    'You may think first. Give the product, digits only, alone on the last line, ' +
    'with nothing after it.',
  parse: (answer) => (PRODUCT.test(answer) ? answer.replaceAll(',', '') : null),
  format: (answer) => answer,
  solve: (prompt) => {
    const match = /^Compute ([0-9]{8}) \* ([0-9]{8})\.\n/.exec(prompt)
    if (match === null) throw new TypeError('"prompt" expected a prompt of mult8')
    return multiply(match.slice(1))
  },
  guess: (_, random) => DIGITS.sample(random),
  explain: {
    title: 'the multiplication of 8-digit numbers (mult8)',
    picture: drawProduct,
    best: (factors) => [multiply(factors)],
    ending: explainProduct,
  },
})

/** Returns the product in decimal. Uses BigInt, because a product of 16 digits can exceed 2^53. */
function multiply([a = 0, b = 0]: readonly (number | string)[]): string {
  return String(BigInt(a) * BigInt(b))
}

/** Width and height of a digit in the picture. */
const [DIGIT, ROW] = [10, 20]
/** Characters in a row of the picture: digits, and a sign with its space. */
const COLUMNS = 18

/** Returns the factors, the product and the reply as rows of digits. Marks the wrong digits. */
function drawProduct(factors: readonly number[], answer = ''): Picture {
  const [a, b] = factors
  const right = multiply(factors)
  const rows = [`${a}`, `× ${b}`, `= ${right}`, answer].filter((row) => row !== '')
  const width = DIGIT * COLUMNS
  const shapes = rows.flatMap((row, at): readonly PictureShape[] => {
    const top = ROW * at
    const digits = [...row].map((text, i): PictureShape => {
      const fromEnd = row.length - i
      const isWrong = at === 3 && text !== right.at(-fromEnd)
      const corners = rectangle(width - DIGIT * fromEnd, top, DIGIT, ROW)
      return { kind: isWrong ? 'wrong' : 'label', corners, text }
    })
    const says = at === 3 ? `reply ${row}` : row
    return [{ kind: 'label', corners: rectangle(0, top, width, ROW), says }, ...digits]
  })
  return { width, height: ROW * rows.length, shapes }
}

function explainProduct({ before, action, reward }: LastTurn<readonly number[], string>): string {
  const right = `the product is ${multiply(before)}`
  return reward > 0 ? `solved: ${right}` : `not solved: ${right}, not ${action}`
}
