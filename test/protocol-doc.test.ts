import { describe, expect, test } from 'vitest'
import { FAULT_CODES } from '../packages/blocks/src/index.ts'
import { pathsOf } from '../packages/blocks/test/bucket-suite.ts'
import { PROTOCOL } from '../packages/duel/src/index.ts'
import { make, play, playGame, type Transcript } from '../packages/envs/src/index.ts'
import { FINNEY_FIRST_EPOCH } from '../packages/settlement/src/index.ts'
import { examples, readExample } from './protocol-examples.ts'
import { FLAW_CODES, fencedBlocks, find, MAIN, page, shown } from './protocol-page.ts'
import { mapped, type Story, story } from './protocol-story.ts'
import { read } from './repository.ts'

const vector: { in: Story; out: unknown } = JSON.parse(read('vectors/duel/story.json'))

describe('the worked examples of docs/protocol.md', () => {
  test.each(shown.filter(({ example }) => example !== 'block'))(
    'have the result that the code computes: $example',
    async ({ example, in: input, out }) => {
      const compute = examples[example]
      expect(compute, `no computation of "${example}"`).toBeDefined()
      expect(JSON.parse(JSON.stringify(await compute?.(input as never)))).toEqual(out)
    },
  )

  test('have the result that the code computes: block', async () => {
    const [block, ids] = [find('block'), find('ids')]
    const scope = {
      ...(ids.in as object),
      ...(block.in as object),
      ...(ids.out as object),
      specHashes: mapped(PROTOCOL.envs, ({ specHash }) => specHash),
    }
    expect(await readExample(fencedBlocks('jsonl').join(), scope as never)).toEqual(block.out)
  })

  test('include vectors/duel/story.json, which the code computes', () => {
    expect(JSON.parse(JSON.stringify(story(vector.in)))).toEqual(vector.out)
  })

  test('appear once each', () => {
    expect(shown.map(({ example }) => example).sort()).toEqual(
      [...Object.keys(examples), 'block'].sort(),
    )
  })
})

test('docs/protocol.md lists the files that the code reads from buckets', () => {
  const listed = page.match(/(?<=^ {4})v1\/\S+/gm) ?? []
  const named = { '<hash>': 'ab', '<T>': '7', '<hotkey>': '5F' }
  const paths = listed.map((path) => path.replace(/<.*>/, (name) => named[name as '<T>']))
  expect(paths).toEqual(pathsOf('ab', 7, '5F'))
})

test('docs/protocol.md shows the prompts of the environments', async () => {
  const [tictactoe = '', mult8 = '', ...others] = fencedBlocks('text')
  const prompts = ['tictactoe', 'mult8', 'hex', 'pack'].map(async (name) => {
    const { id } = find(`${name} episode`).in as { id: string }
    const env = make(`${name}@0.1.0`)
    const silent = () => ({ fault: 'no-reply' }) as const
    if (env.spec.game === undefined) return firstIn(await play(env, id, silent))
    const game = await playGame(env, id, { champion: silent, contender: silent })
    return firstIn(game.champion) ?? firstIn(game.contender)
  })
  const [, product = '', ...games] = await Promise.all(prompts)
  expect([await prompts[0], ...games].map((prompt) => `${prompt}\n`)).toEqual([
    tictactoe,
    ...others,
  ])
  expect(`${product}\n`.replace(/[0-9]{8} \* [0-9]{8}/, 'a * b')).toBe(mult8)
})

const firstIn = ({ messages }: Transcript) => messages[0]?.content

test('docs/protocol.md states the constants of the main network', () => {
  const { state } = find('first state').out as { state: { protocol: typeof PROTOCOL } }
  const { envs, ...constants } = state.protocol
  const { envs: _played, ...wanted } = PROTOCOL
  expect(constants).toEqual(wanted)
  expect(envs).toEqual(MAIN.envs)
  expect(find('specHash').out).toMatchObject(mapped(envs, ({ specHash }) => specHash))
})

test('docs/protocol.md states the first epoch of the main network', () => {
  const [epoch, block] = [FINNEY_FIRST_EPOCH, FINNEY_FIRST_EPOCH * PROTOCOL.epochBlocks]
  const [row = ''] = page.match(/^\| `finney` .*/m) ?? []
  expect(row).toContain(` ${epoch} (block ${block.toLocaleString('en-GB')}) `)
})

test('docs/protocol.md explains each code of a fault or flaw, and no other', () => {
  const named = [...page.matchAll(/`([A-Z0-9]+(?:_[A-Z0-9]+)+)`/g)].map(([, code]) => code)
  expect([...new Set(named)].sort()).toEqual([...FAULT_CODES, ...FLAW_CODES].sort())
})
