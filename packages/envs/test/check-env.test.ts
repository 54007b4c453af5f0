import { expect, test } from 'vitest'
import { checkEnv } from '../src/check-env.ts'
import { type Definition, defineEnv, Env, type ResetOptions, spaces } from '../src/index.ts'

type State = { readonly asked: number; readonly turn: number }
type Parity = Definition<State, readonly number[], number>

/** Two rounds of "even or odd": 0 even, 1 odd. Right twice is worth 1, a mistake ends it. */
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

/** Not from the stream: what a broken environment would take from a clock or from Math.random. */
let ticks = 0
const outside = (): number => ticks++ % 100

const shared = [0]

/** Of more than is recorded of a last line. */
const marks = '!'.repeat(541)
const long = (answer: number): string => `${parity.format(answer)}${marks}`

const broken: [what: string, change: Partial<Parity>, error: string][] = [
  [
    'a challenge from elsewhere',
    { initial: () => ({ asked: outside(), turn: 0 }) },
    'to give one episode, always',
  ],
  [
    'an answer that is too long for the end of a reply',
    {
      parse: (line) => (line.endsWith(marks) ? parity.parse(line.slice(0, -marks.length)) : null),
      format: long,
      guess: (_, random) => long(random.integers(0, 2)),
      solve: (prompt) => `${parity.solve(prompt)}${marks}`,
    },
    "its solver's reply to be recorded whole",
  ],
  [
    'a second turn from elsewhere',
    stepGiving(() => ({ state: { asked: outside(), turn: 1 } })),
    'to give one episode, always',
  ],
  [
    'one challenge for all',
    { initial: () => ({ asked: 4, turn: 0 }) },
    'different challenges from different seeds',
  ],
  [
    'an observation outside its space',
    { observe: ({ asked }) => [asked + 100] },
    'an observation in Box(0..99, 1)',
  ],
  [
    'an observation of another type',
    { observe: () => ['4'] as unknown as number[] },
    'an observation in Box(0..99, 1)',
  ],
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
    'a step to leave earlier observations alone',
  ],
  ['a fractional reward', stepGiving(() => ({ reward: 0.5 })), 'integer rewards'],
  [
    'a reward below the lowest',
    stepGiving(({ reward }) => ({ reward: reward * 2 })),
    'no reward below -1',
  ],
  ['more than its highest reward', { highestReward: 0 }, 'no reward above 0'],
  ['a highest reward that nobody gets', { highestReward: 2 }, 'a golden episode to earn 2'],
  [
    'terminated as a number',
    stepGiving(() => ({ terminated: 1 as never })),
    'terminated and truncated as booleans',
  ],
  [
    'a prompt with an escape sequence',
    { prompt: (observation) => `\u001b[1m${parity.prompt(observation)}` },
    'prompts to be normalised text',
  ],
  ['an empty prompt', { prompt: () => '', solve: () => 'even' }, 'prompts to be normalised text'],
  [
    'a prompt that counts',
    { prompt: (observation) => `${parity.prompt(observation)} (${outside()})` },
    'render to show the present prompt',
  ],
  [
    'a parser that looks for an answer',
    { parse: (answer) => parity.parse(answer.replace(/^.* /, '')) },
    'to refuse the reply "Well: ',
  ],
  [
    'a format that is not recorded as it is',
    { format: (answer) => `${parity.format(answer)}\r` },
    'parse to read what format writes',
  ],
  [
    'a parser that takes nothing for an answer',
    { parse: (reply) => (reply === '' ? 0 : parity.parse(reply)) },
    'to refuse the reply',
  ],
  ['a parser that leaves the action space', { parse: () => 2 }, "to read its own solver's reply"],
  [
    'a format that parse does not read',
    { format: (answer) => String(answer) },
    'parse to read what format writes',
  ],
  [
    'a format that swaps',
    { format: (answer) => parity.format(1 - answer) },
    'parse to read what format writes',
  ],
  ['a solver that is wrong', { solve: () => 'even' }, 'its solver to earn more than a forfeit'],
  ['a solver that cannot be read', { solve: () => 'I give up' }, "to read its own solver's reply"],
  [
    'samples outside the space',
    { actionSpace: { ...spaces.Discrete(2), sample: () => 2 } },
    'samples in Discrete(2)',
  ],
  [
    'a space that contains everything',
    { actionSpace: { ...spaces.Discrete(2), contains: (_): _ is number => true } },
    'Discrete(2) not to contain undefined',
  ],
  ['a truth that has no canonical form', { truth: () => 0.5 }, 'got 0.5'],
  [
    'a step that throws',
    {
      step: () => {
        throw new Error('broken inside')
      },
    },
    'broken inside',
  ],
]

type Outcome = NonNullable<ReturnType<Parity['step']>>

/** A step whose outcome is the sound one's, but for what `change` says. */
function stepGiving(change: (outcome: Outcome) => Partial<Outcome>): Pick<Parity, 'step'> {
  return {
    step: (...asked) => {
      const outcome = parity.step(...asked) as Outcome // parity has no illegal move
      return { ...outcome, ...change(outcome) }
    },
  }
}

test('the sound one passes', () => {
  checkEnv(new Env(defineEnv(parity)))
})

test.each(broken)('%s is caught', (_, change, error) => {
  expect(() => checkEnv(new Env(defineEnv({ ...parity, ...change })))).toThrow(error)
})

type Reset = ReturnType<Env['reset']>
type Step = ReturnType<Env['step']>

/** What methods give instead of what they gave. */
interface Altered {
  readonly reset?: (given: Reset, asked?: ResetOptions) => unknown[]
  readonly step?: (given: Step, action: unknown) => unknown[]
  readonly render?: () => string
  readonly parse?: (reply: string, parse: Env['parse']) => unknown
}

/** An Env of its own make can break the interface around a sound specification. */
class AlteredEnv extends Env {
  readonly #altered: Altered

  constructor(altered: Altered) {
    super(defineEnv(parity))
    this.#altered = altered
  }

  override reset(asked?: ResetOptions): Reset {
    const given = super.reset(asked)
    return (this.#altered.reset?.(given, asked) ?? given) as Reset
  }

  override step(action: unknown): Step {
    const given = super.step(action)
    return (this.#altered.step?.(given, action) ?? given) as Step
  }

  override render(): string {
    return this.#altered.render?.() ?? super.render()
  }

  override parse(reply: string): unknown {
    const parse = (line: string): unknown => super.parse(line)
    return this.#altered.parse ? this.#altered.parse(reply, parse) : parse(reply)
  }
}

const NO_HASHES = { spec_hash: '', ground_truth_commitment: '' }

const brokenEnvs: [what: string, altered: Altered, error: string][] = [
  [
    'info without its hashes',
    { reset: ([observation, info]) => [observation, { ...info, ...NO_HASHES }] },
    'the spec_hash in info',
  ],
  [
    'info with a challenge id of its own',
    { reset: ([observation, info]) => [observation, { ...info, challenge_id: 'mine' }] },
    'the given challenge_id in info',
  ],
  [
    'a challenge id that is no seed',
    { reset: ([observation, info], asked) => [asked?.options ? [99] : observation, info] },
    'a challenge id to be no more than its seed',
  ],
  [
    'no end',
    { step: ([seen, reward, , , info], action) => [seen, reward, action === null, false, info] },
    'an end within 2 steps',
  ],
  [
    'a rendering of something else',
    { render: () => 'a board' },
    'render to show the present prompt',
  ],
  [
    'a forfeit that costs nothing',
    { step: ([seen, reward, ...ends], action) => [seen, action === null ? 0 : reward, ...ends] },
    'an unreadable reply to end it with the lowest reward',
  ],
  [
    'a parser that takes the first line',
    { parse: (reply, parse) => parse(reply.split('\n')[0] ?? '') },
    'to read the answer of the reply "Well.',
  ],
  [
    'a parser that takes any line',
    {
      parse: (reply, parse) => {
        const actions = reply.split('\n').map(parse)
        return actions.find((action) => action !== null) ?? null
      },
    },
    'to refuse the reply',
  ],
]

test.each(brokenEnvs)('%s is caught', (_, altered, error) => {
  expect(() => checkEnv(new AlteredEnv(altered))).toThrow(error)
})

test('step before reset is caught', () => {
  const env = Object.assign(new Env(defineEnv(parity)), { step: () => [] })
  expect(() => checkEnv(env as never)).toThrow('step before reset to throw')
})
