import { expect, test } from 'vitest'
import { type RefusalCase, refusalLines } from '../../../test/refusals.ts'
import { checkEnv } from '../src/check-env.ts'
import { type Definition, defineEnv, Env, spaces } from '../src/index.ts'

type State = { readonly asked: number; readonly turn: number }
type Parity = Definition<State, readonly number[], number>

/** Two rounds of "even or odd": 0 even, 1 odd. Two right answers earn 1, a wrong one loses. */
const parity: Parity = {
  name: 'parity',
  version: '0.1.0',
  maxSteps: 2,
  replyMs: 1000,
  lowestReward: -1,
  highestReward: 1,
  actionSpace: spaces.Discrete(2),
  observationSpace: spaces.Box({ low: 0, high: 99, length: 1 }),
  initial: (random) => ({ asked: random.integers(0, 100), turn: 0 }),
  truth: ({ asked }) => asked % 2,
  difficulty: () => 1,
  observe: ({ asked }) => [asked],
  step: ({ asked, turn }, answer, random) => {
    const right = asked % 2 === answer
    const terminated = !right || turn === 1
    const next = { asked: terminated ? asked : random.integers(0, 100), turn: turn + 1 }
    return { state: next, reward: !right ? -1 : terminated ? 1 : 0, terminated }
  },
  prompt: ([asked]) => `Is ${asked} even or odd? One word, alone on the last line.`,
  parse: (line) => {
    const answer = ['even', 'odd'].indexOf(line)
    return answer < 0 ? null : answer
  },
  format: (answer) => (answer === 0 ? 'even' : 'odd'),
  guess: (_, random) => ['even', 'odd'][random.integers(0, 2)] ?? '',
  solve: (prompt) => (Number(/[0-9]+/.exec(prompt)?.[0]) % 2 === 0 ? 'even' : 'odd'),
}

/** Numbers from outside the stream, as a broken environment reads from a clock or Math.random. */
let ticks = 0
const outside = (): number => ticks++ % 100

const shared = [0]

/** A suffix so long that an answer before it is not recorded. */
const marks = '!'.repeat(541)
const long = (answer: number): string => `${parity.format(answer)}${marks}`

const broken: [name: string, change: Partial<Parity>][] = [
  ['a challenge from elsewhere', { initial: () => ({ asked: outside(), turn: 0 }) }],
  [
    'an answer too long',
    {
      parse: (line) => (line.endsWith(marks) ? parity.parse(line.slice(0, -marks.length)) : null),
      format: long,
      guess: (_, random) => long(random.integers(0, 2)),
      solve: (prompt) => `${parity.solve(prompt)}${marks}`,
    },
  ],
  ['a second turn elsewhere', stepGiving(() => ({ state: { asked: outside(), turn: 1 } }))],
  ['one challenge for all', { initial: () => ({ asked: 4, turn: 0 }) }],
  ['an outside observation', { observe: ({ asked }) => [asked + 100] }],
  ['observation of another type', { observe: () => ['4'] as unknown as number[] }],
  [
    'an observation altered later',
    {
      observe: ({ asked, turn }) => {
        shared[0] = asked
        return turn === 0 ? shared : [asked]
      },
      step: (state, answer, random) => {
        shared[0] = 1 + (shared[0] as number)
        return parity.step(state, answer, random)
      },
    },
  ],
  ['a fractional reward', stepGiving(() => ({ reward: 0.5 }))],
  ['a reward below the lowest', stepGiving(({ reward }) => ({ reward: reward * 2 }))],
  ['more than its highest reward', { highestReward: 0 }],
  ['an unreachable reward', { highestReward: 2 }],
  ['an escape in prompts', { prompt: (observation) => `\u001b[1m${parity.prompt(observation)}` }],
  ['an empty prompt', { prompt: () => '', solve: () => 'even' }],
  [
    'a prompt that counts',
    { prompt: (observation) => `${parity.prompt(observation)} (${outside()})` },
  ],
  ['a searching parser', { parse: (answer) => parity.parse(answer.replace(/^.* /, '')) }],
  ['a format not recorded', { format: (answer) => `${parity.format(answer)}\r` }],
  ['a parser of nothing', { parse: (reply) => (reply === '' ? 0 : parity.parse(reply)) }],
  ['a parser outside actions', { parse: () => 2 }],
  ['a format not parsed', { format: (answer) => String(answer) }],
  ['a format that swaps', { format: (answer) => parity.format(1 - answer) }],
  ['a wrong solver', { solve: () => 'even' }],
  ['an unreadable solver', { solve: () => 'I give up' }],
  ['a fractional difficulty', { difficulty: () => 0.5 }],
  [
    'an answer with a sign of a pair',
    {
      parse: (line) => (line.startsWith('$') ? parity.parse(line.slice(1)) : null),
      format: (answer) => `$${parity.format(answer)}`,
      solve: (prompt) => `$${parity.solve(prompt)}`,
    },
  ],
  ['a truth without JSON', { truth: () => 0.5 }],
  [
    'a step that throws',
    {
      step: () => {
        throw new Error('broken inside')
      },
    },
  ],
]

type Outcome = NonNullable<ReturnType<Parity['step']>>

/** Returns a step with the sound environment's outcome, altered by `change`. */
function stepGiving(change: (outcome: Outcome) => Partial<Outcome>): Pick<Parity, 'step'> {
  return {
    step: (...args) => {
      const outcome = parity.step(...args) as Outcome // parity has no illegal move
      return { ...outcome, ...change(outcome) }
    },
  }
}

test('accepts a sound environment', () => {
  checkEnv(new Env(defineEnv(parity)))
})

test('rejects every broken environment', async () => {
  const envOf = (change: Partial<Parity>) => new Env(defineEnv({ ...parity, ...change }))
  const refused = broken.map(([name, change]): RefusalCase => [name, () => checkEnv(envOf(change))])
  const lines = (await refusalLines(refused)).replaceAll(marks, '!…')
  await expect(lines).toMatchFileSnapshot('snapshots/check-env.txt')
})
