import { defineEnv, type EnvSpec } from './definition.ts'
import { Box, Text } from './spaces.ts'
import { lastLine } from './text.ts'

const LOW = 10_000_000
const HIGH = 99_999_999

/** 8-digit multiplication, one turn. Reward 1 for the exact product, else 0. */
export const mult8: EnvSpec = /* @__PURE__ */ defineEnv<readonly [number, number], readonly number[], string>({
  name: 'mult8',
  version: '0.1.0',
  difficulty: 8,
  maxSteps: 1,
  replyMs: 30_000,
  lowestReward: 0,
  actionSpace: /* @__PURE__ */ Text({ minLength: 15, maxLength: 16, charset: '0123456789' }),
  observationSpace: /* @__PURE__ */ Box({ low: LOW, high: HIGH, length: 2 }),
  initial: (random) => [random.integers(LOW, HIGH + 1), random.integers(LOW, HIGH + 1)],
  truth: ([a, b]) => product(a, b),
  observe: (factors) => factors,
  // Compared as text: there is one way to write a product.
  step: (factors, answer) => ({ state: factors, reward: answer === product(...factors) ? 1 : 0, terminated: true }),
  prompt: ([a, b]) =>
    `Compute ${a} * ${b}.\nYou may think first. Give the product, digits only, alone on the last line, with nothing after it.`,
  parse: (reply) => (/^[1-9][0-9]{14,15}$/.test(lastLine(reply)) ? lastLine(reply) : null),
  format: (answer) => answer,
  solve: (prompt) => {
    const [, a, b] = /^Compute ([0-9]{8}) \* ([0-9]{8})\.\n/.exec(prompt) ?? []
    if (a === undefined || b === undefined) throw new TypeError('"prompt" expected one of mult8')
    return product(a, b)
  },
})

/** The product in decimal. BigInt: 16 digits pass 2^53. */
function product(a: number | string, b: number | string): string {
  return String(BigInt(a) * BigInt(b))
}
