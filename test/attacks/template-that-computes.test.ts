import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import {
  answers,
  CHAT_TEMPLATE,
  code,
  fileOf,
  type Handle,
} from '../../packages/miners/test/servers.ts'
import { closeServers } from '../web-server.ts'
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
  ['in a list in tokenizer_config.json', CONFIG, json(list)],
  ['as chat_template.jinja', file('chat_template.jinja'), code(COMPUTES)],
  ['in additional_chat_templates', FOLDER, answers(200, [{ path: 'default.jinja' }])],
]

test.each(places)(
  'never asks a model with a template that computes, %s',
  async (_, path, holds) => {
    const { ask, requestsTo, problems } = await oneChute(MINER, { [path]: holds })
    for (let i = 0; i < 3; i++) expect(await ask()).toEqual({ fault: 'no-reply' })
    expect(requestsTo(POST)).toEqual([])
    expect(problems).toEqual([expect.objectContaining({ code: 'CHAT_TEMPLATE' })])
  },
)
