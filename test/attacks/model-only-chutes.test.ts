import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import { openChutes, playerReply } from '../../packages/miners/src/index.ts'
import { NODE_CALLER } from '../../packages/miners/src/node/index.ts'
import {
  answers,
  closeServers,
  code,
  completion,
  described,
  type Handle,
  published,
  serveChutes,
  sourceFor,
} from '../../packages/miners/test/servers.ts'

/*
 * A chute runs any program: before its source was read, a table of all boards played perfectly, a
 * relay tied for ever with the champion that it asked, and a 503 bought time to think. Each of
 * these answers here as well as can be, and is never asked.
 */
const MINER = {
  hotkey: '5M',
  model: 'me/affine-5M',
  revision: 'c0ffee11'.repeat(5),
  chute: randomUUID(),
  templates: PROTOCOL.templates,
}
const POST = '/mine/v1/chat/completions'
const SOURCE = sourceFor(MINER)
const DESCRIBED = described(MINER, 'mine')
const PROMPT = [{ role: 'user', content: 'Compute 12345678 * 87654321.' }] as const

afterAll(closeServers)

const perfect: Handle = (_, response, __, body) => {
  const prompt = JSON.parse(body).messages.at(-1).content
  const head = { 'x-chutes-invocationid': randomUUID() }
  response.writeHead(200, head).end(completion(playerReply(prompt, { skill: 1, seed: '' })))
}

/** The agents on a stand-in for Chutes, and what is said and asked there. */
async function chutesWith(routes: Readonly<Record<string, Handle>>) {
  const { place, asked } = await serveChutes({
    ...published(MINER, 'mine'),
    [POST]: perfect,
    ...routes,
  })
  const said: string[] = []
  const { agents, hasChanged } = openChutes({
    ...NODE_CALLER,
    apiKey: 'cpk_1',
    concurrency: 8,
    on: (event) => {
      if (event.type === 'problem') said.push(`${event.what}: ${event.error.message}`)
    },
    ...place,
  })
  const { signal } = new AbortController()
  const ask = () => agents(MINER, 10_000, signal)(PROMPT)
  return { ask, asked, said, hasChanged: () => hasChanged(MINER, signal) }
}

const before = (text: string): string => `${text}\n${SOURCE}`
const after = (text: string): string => `${SOURCE}${text}\n`
const cord = (body: string): string =>
  after(`@chute.cord(public_api_path="/v1/chat/completions")\nasync def f(self, x):\n    ${body}`)
const engine = (text: string): string => SOURCE.replace('--context-length 32768', text)

const sources: readonly (readonly [what: string, source: string, refusal: string])[] = [
  ['a table', cord('return TABLE[x]'), 'TOKEN: line 20'],
  ['a relay', cord('return await post(CHAMPION, x)'), 'TOKEN: line 20'],
  ['a 503 that thinks', cord('raise HTTPException(503)'), 'TOKEN: line 20'],
  ['a client', before('import requests'), 'IMPORT: line 1'],
  ['a changed template', engine('--chat-template /cache/solver.jinja'), 'ENGINE_ARGUMENT: line 16'],
  ['another served model', engine('--served-model-name you/large'), 'ENGINE_ARGUMENT: line 16'],
  [
    'another model',
    SOURCE.replace(`model_name="${MINER.model}`, 'model_name="you/large'),
    'MODEL: line 7',
  ],
  ['a plugin', engine('--tool-parser-plugin /cache/x.py'), 'ENGINE_ARGUMENT: line 16'],
  [
    'a door to other hosts',
    SOURCE.replace('concurrency=32', 'allow_external_egress=True'),
    'LITERAL: line 9',
  ],
  [
    'a statement behind an encoding',
    before('# coding: utf-7\n# +AAo-import requests'),
    'ENCODING: line 1',
  ],
  ['a statement behind a return', before('# a comment\rimport requests'), 'ENCODING: line 1'],
  ['a statement behind a form feed', after('#\fimport requests'), 'ENCODING: line 20'],
  [
    'a statement after a continued line',
    before('import os \\\n; import requests'),
    'TOKEN: line 1',
  ],
  ['a statement after a semicolon', before('import os; import requests'), 'TOKEN: line 1'],
  ['a decorator', before('@eval\nclass A: pass'), 'TOKEN: line 1'],
  ['a walrus', SOURCE.replace('"me"', '(x := __import__("requests"))'), 'TOKEN: line 5'],
  ['code in an f-string', SOURCE.replace('"me"', 'f"{__import__(\'requests\')}"'), 'TOKEN: line 5'],
  [
    'a template that is shadowed',
    SOURCE.replace('chutes.chute.template.sglang', 'mine'),
    'IMPORT: line 2',
  ],
  [
    'a name that Python normalises',
    SOURCE.replace('chute = build', 'chute = ｂuild'),
    'TOKEN: line 4',
  ],
]

test.each(sources)('%s is never asked, and its line is named', async (_, source, refusal) => {
  const { ask, asked, said } = await chutesWith({ [`/chutes/code/${MINER.chute}`]: code(source) })
  for (let i = 0; i < 3; i++) expect(await ask()).toEqual({ fault: 'no-reply' })
  expect(asked(POST)).toEqual([])
  expect(said.length).toBe(1)
  expect(said[0]).toMatch(`miner 5M: is not asked in this epoch: ${refusal}`)
})

test('a source that is not shown, or is larger than an answer may be, is not asked either', async () => {
  const path = `/chutes/code/${MINER.chute}`
  const large = code(`# ${'x'.repeat(1_100_000)}`)
  for (const [route, refusal] of [
    [answers(404), 'NOT_SHOWN: its source'],
    [large, 'TOO_LARGE: its source'],
  ] as const) {
    const { ask, hasChanged, asked, said } = await chutesWith({ [path]: route })
    expect(await ask()).toEqual({ fault: 'no-reply' })
    // It was not asked, so there is nothing to take back.
    expect(await hasChanged()).toBe(false)
    expect(asked(POST)).toEqual([])
    expect(said).toEqual([expect.stringContaining(`is not asked in this epoch: ${refusal}`)])
  }
})

const other = { name: 'sglang', tag: 'nightly-2025111800', user: { username: 'me' } }
const descriptions: readonly (readonly [what: string, said: object, refusal: string])[] = [
  ['an image of its own', { image: other }, 'IMAGE: '],
  ['the image of another engine', { image: { ...DESCRIBED.image, name: 'vllm' } }, 'IMAGE: '],
  ['another tag than in the source', { image: { ...DESCRIBED.image, tag: 'mine' } }, 'IMAGE: '],
  ['a server elsewhere', { execution_backend: 'external' }, 'NOT_HOSTED: '],
  ['no template', { standard_template: null }, 'NOT_A_TEMPLATE: '],
  ['another template', { standard_template: 'tei' }, 'NOT_A_TEMPLATE: '],
  ['another name', { name: 'you/large' }, 'MODEL: '],
  ['another revision', { revision: '0'.repeat(40) }, 'REVISION: '],
]

test.each(descriptions)('%s is never asked', async (_, more, refusal) => {
  const routes = { [`/chutes/${MINER.chute}`]: answers(200, { ...DESCRIBED, ...more }) }
  const { ask, asked, said } = await chutesWith(routes)
  expect(await ask()).toEqual({ fault: 'no-reply' })
  expect(asked(POST)).toEqual([])
  expect(said[0]).toMatch(`miner 5M: is not asked in this epoch: ${refusal}`)
})

const changes: readonly (readonly [what: string, said: object])[] = [
  ['changed', { version: randomUUID() }],
  ['changed and changed back', { updated_at: '2026-05-01T01:00:00Z' }],
  ['closed', { execution_backend: 'external' }],
]

test.each(changes)('a chute that is %s within an epoch is seen', async (_, more) => {
  let later = {}
  const { ask, hasChanged, said } = await chutesWith({
    [`/chutes/${MINER.chute}`]: (...rest) => answers(200, { ...DESCRIBED, ...later })(...rest),
  })
  expect(await ask()).toHaveProperty('content')
  expect(await hasChanged()).toBe(false)
  later = more
  expect(await hasChanged()).toBe(true)
  expect(said).toEqual([
    expect.stringMatching(/^miner 5M: its chute was changed in this epoch.*: none of its replies/),
  ])
})
