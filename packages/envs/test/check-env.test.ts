import { expect, test } from 'vitest'
import { type RefusalCase, refusalLines } from '../../../test/refusals.ts'
import { checkEnv } from '../src/check-env.ts'
import { type Definition, defineEnv, Env, type Info, spaces } from '../src/index.ts'

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
  ['terminated as a number', stepGiving(() => ({ terminated: 1 as never }))],
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
  ['samples outside', { actionSpace: { ...spaces.Discrete(2), sample: () => 2 } }],
  [
    'a space without bounds',
    { actionSpace: { ...spaces.Discrete(2), contains: (_): _ is number => true } },
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

type Methods = Pick<Env, 'reset' | 'step' | 'parse' | 'render'>

/** Returns an Env that breaks the interface around a sound specification. */
function alterEnv(change: (sound: Methods) => Partial<Methods>): Env {
  const env = new Env(defineEnv(parity))
  const [reset, step] = [env.reset.bind(env), env.step.bind(env)]
  const [parse, render] = [env.parse.bind(env), env.render.bind(env)]
  return Object.assign(env, change({ reset, step, parse, render }))
}

/** Returns an Env whose resets return another info. */
const withInfo = (changed: Partial<Info>): Env =>
  alterEnv(({ reset }) => ({
    reset: (options) => {
      const [observation, info] = reset(options)
      return [observation, { ...info, ...changed }]
    },
  }))

const brokenEnvs: [name: string, env: Env][] = [
  ['info without its hashes', withInfo({ spec_hash: '', ground_truth_commitment: '' })],
  ['its own challenge id', withInfo({ challenge_id: 'mine' })],
  [
    'an id without seed',
    alterEnv(({ reset }) => ({
      reset: (options) => {
        const [observation, info] = reset(options)
        return [options?.options ? [99] : observation, info]
      },
    })),
  ],
  [
    'no end',
    alterEnv(({ step }) => ({
      step: (action) => {
        const [seen, reward, , , info] = step(action)
        return [seen, reward, action === null, false, info]
      },
    })),
  ],
  ['another rendering', alterEnv(() => ({ render: () => 'a board' }))],
  [
    'a free forfeit',
    alterEnv(({ step }) => ({
      step: (action) => {
        const [seen, reward, ...ends] = step(action)
        return [seen, action === null ? 0 : reward, ...ends]
      },
    })),
  ],
  [
    'a first-line parser',
    alterEnv(({ parse }) => ({ parse: (reply) => parse(reply.split('\n')[0] ?? '') })),
  ],
  [
    'an any-line parser',
    alterEnv(({ parse }) => ({
      parse: (reply) => {
        const actions = reply.split('\n').map(parse)
        return actions.find((action) => action !== null) ?? null
      },
    })),
  ],
  ['a step before reset', alterEnv(() => ({ step: () => [] as never }))],
]

test('rejects every broken environment', async () => {
  const envOf = (change: Partial<Parity>) => new Env(defineEnv({ ...parity, ...change }))
  const refused: RefusalCase[] = [
    ...broken.map(([name, change]): RefusalCase => [name, () => checkEnv(envOf(change))]),
    ...brokenEnvs.map(([name, env]): RefusalCase => [name, () => checkEnv(env)]),
  ]
  const lines = (await refusalLines(refused)).replaceAll(marks, '!…')
  await expect(lines).toMatchFileSnapshot('snapshots/check-env.txt')
})
