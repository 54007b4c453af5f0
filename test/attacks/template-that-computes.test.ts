import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import {
  answers,
  CHAT_TEMPLATE,
  closeServers,
  code,
  fileOf,
  type Handle,
  published,
} from '../../packages/miners/test/servers.ts'
import { oneChute, POST } from './one-chute.ts'

/*
 * A chat template in a model's own files multiplies and puts the product into the prompt. A model
 * is not asked if it has such a template in any place that an engine reads.
 */
const MINER = {
  hotkey: '5M',
  model: 'me/affine-5M',
  revision: 'c0ffee11'.repeat(5),
  chute: randomUUID(),
  templates: PROTOCOL.templates,
}
const FOLDER = `/api/models/${MINER.model}/tree/${MINER.revision}/additional_chat_templates`
const COMPUTES =
  "{% set words = messages[-1]['content'].rstrip('.').split() %}" +
  '{{ (words[1] | int) * (words[3] | int) }}'

afterAll(closeServers)

const json = (chat_template: unknown): Handle => answers(200, { chat_template })
const file = (name: string): string => fileOf(MINER, name)
const CONFIG = file('tokenizer_config.json')
const list = ['default', 'tool_use'].map((name) => ({
  name,
  template: name === 'default' ? CHAT_TEMPLATE : COMPUTES,
}))

const places: readonly (readonly [where: string, path: string, holds: Handle])[] = [
  ['in tokenizer_config.json', CONFIG, json(COMPUTES)],
  ['in its list', CONFIG, json(list)],
  ['as chat_template.jinja', file('chat_template.jinja'), code(COMPUTES)],
  ['in chat_template.json', file('chat_template.json'), json(COMPUTES)],
  ['in processor_config.json', file('processor_config.json'), json(COMPUTES)],
  ['in special_tokens_map.json', file('special_tokens_map.json'), json(COMPUTES)],
  ['in additional_chat_templates', FOLDER, answers(200, [{ path: 'default.jinja' }])],
]

test.each(places)(
  'never asks a model with a template that computes, %s',
  async (_, path, holds) => {
    const { ask, asked, said } = await oneChute(MINER, { [path]: holds })
    for (let i = 0; i < 3; i++) expect(await ask()).toEqual({ fault: 'no-reply' })
    expect(asked(POST)).toEqual([])
    expect(said).toEqual([expect.objectContaining({ code: 'CHAT_TEMPLATE' })])
  },
)

test('discards the replies of a model whose files disappear within an epoch', async () => {
  let isGone = false
  const before = published(MINER, 'mine')[CONFIG]
  const { ask, hasChanged } = await oneChute(MINER, {
    [CONFIG]: (...rest) => (isGone ? answers(404) : before)?.(...rest),
  })
  expect(await ask()).toHaveProperty('content')
  expect(await hasChanged()).toBe(false)
  isGone = true
  expect(await hasChanged()).toBe(true)
})

test('discards no reply for an outage of the host of models', async () => {
  let failures = 2
  const before = published(MINER, 'mine')[CONFIG]
  const { ask } = await oneChute(MINER, {
    [CONFIG]: (...rest) => (failures-- > 0 ? answers(503) : before)?.(...rest),
  })
  expect(await ask()).toHaveProperty('content')
})
