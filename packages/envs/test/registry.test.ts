import { describe, expect, test } from 'vitest'
import { checkEnv } from '../src/check-env.ts'
import {
  defineEnv,
  type EnvSpec,
  make,
  play,
  register,
  registry,
  replay,
  specHash,
} from '../src/index.ts'

const challenge = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'
/** Environments that every version of the package registers, in the order of the registry. */
const FIRST = ['tictactoe@0.1.0', 'mult8@0.1.0']
const BUILT_IN = [...registry.keys()]

const perfect = (spec: EnvSpec) => (messages: readonly { content: string }[]) => ({
  content: spec.solve(messages.at(-1)?.content ?? ''),
})
const version = (version: string): EnvSpec =>
  defineEnv({ ...make('tictactoe@0.1.0').spec, version })

test.each(BUILT_IN)('%s passes the checks, and solves only its own prompts', (id) => {
  checkEnv(make(id))
  expect(() => make(id).spec.solve('Compute it.')).toThrow(TypeError)
})

test('makes an environment from an exact id or an alias, and rejects other names', () => {
  expect(BUILT_IN.filter((id) => FIRST.includes(id))).toEqual(FIRST)
  expect(make('mult8@0.1.0').spec).toBe(make('mult8-v0').spec)
  const others = [
    'mult8',
    'mult8-v1',
    'mult8@0.1',
    'mult8@0.1.1',
    '',
    '__proto__',
    'constructor-v0',
  ]
  for (const id of others) expect(() => make(id)).toThrow(RangeError)
  expect(() => make('chess-v0')).toThrow(
    new RangeError(`"env" expected one of ${BUILT_IN.join(', ')}, got "chess-v0"`),
  )
})

describe('two versions of an environment', () => {
  const old = make('tictactoe@0.1.0').spec
  const second = defineEnv({
    ...old,
    version: '0.2.0',
    prompt: (observation) => old.prompt(observation).replace('The opponent plays perfectly. ', ''),
  })

  test('replay evidence of the same version only', async () => {
    const before = await play(make('tictactoe-v0'), challenge, perfect(old))
    const hash = specHash('tictactoe@0.1.0')
    register(second)
    const after = await play(make('tictactoe-v0'), challenge, perfect(second))

    expect(make('tictactoe-v0').spec).toBe(second)
    expect(replay(make('tictactoe@0.1.0'), challenge, before.messages)).toMatchObject({ ok: true })
    expect(replay(make('tictactoe@0.2.0'), challenge, after.messages)).toMatchObject({ ok: true })
    expect(replay(make('tictactoe@0.1.0'), challenge, after.messages)).toMatchObject({
      code: 'PROMPT_DIFFERS',
    })
    expect(replay(make('tictactoe@0.2.0'), challenge, before.messages)).toMatchObject({
      code: 'PROMPT_DIFFERS',
    })
    expect(specHash('tictactoe@0.1.0')).toBe(hash)
    expect(specHash('tictactoe@0.2.0')).not.toBe(hash)
    expect(specHash('tictactoe-v0')).toBe(specHash('tictactoe@0.2.0'))
  })

  test('have an alias for the newest of a major version, compared as numbers', () => {
    for (const each of ['0.10.0', '0.9.9', '1.0.0', '0.10.1', '0.2.10']) register(version(each))
    expect(make('tictactoe-v0').spec.version).toBe('0.10.1')
    expect(make('tictactoe-v1').spec.version).toBe('1.0.0')
    expect(make('tictactoe@0.1.0').spec).toBe(old)
  })

  test('cannot have the same id', () => {
    expect(() => register(version('0.1.0'))).toThrow(RangeError)
    register(old)
    expect(make('tictactoe@0.1.0').spec).toBe(old)
  })
})
