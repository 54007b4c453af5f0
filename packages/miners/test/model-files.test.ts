import { createHash } from 'node:crypto'
import { afterAll, expect, it, vi } from 'vitest'
import { closeServers } from '../../../test/web-server.ts'
import { checkModelFiles } from '../src/deployment/model-files.ts'
import { TEMPLATES } from '../src/deployment/templates.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import { answers, CHAT_TEMPLATE, code, fileOf, type Handle, serveChutes } from './servers.ts'

const MINER = { hotkey: '5M', model: 'me/affine-5M', revision: 'ab'.repeat(20), chute: 'c' }
const CONFIG = 'tokenizer_config.json'
const JINJA = 'chat_template.jinja'
const FOLDER = `/api/models/${MINER.model}/tree/${MINER.revision}/additional_chat_templates`
const at = (name: string): string => (name.startsWith('/') ? name : fileOf(MINER, name))
const OTHER = '{{ messages[-1].content | length }}'

afterAll(closeServers)

/** Returns the refusal of a model with these files, and the requests. */
async function refusalOf(files: Readonly<Record<string, Handle>>) {
  const routes = Object.entries({ [CONFIG]: answers(200), ...files }).map(
    ([name, handle]) => [at(name), handle] as const,
  )
  const { place, seen } = await serveChutes(Object.fromEntries(routes))
  const { signal } = new AbortController()
  const refusal = await checkModelFiles(MINER, TEMPLATES, { ...NODE_CALLER, ...place, signal })
  return { refusal, seen }
}

/** Returns a JSON file with this chat template. */
const has = (chat_template: unknown): Handle => answers(200, { chat_template })
const listed = has(CHAT_TEMPLATE)
const named = (template: unknown): Handle => has([{ name: 'default', template }])
const everywhere = Object.entries(TEMPLATES.modelFiles).map(
  ([name, kind]) => [name, kind === 'json' ? listed : code(CHAT_TEMPLATE)] as const,
)

it.each<[string, Record<string, Handle>]>([
  ['nothing', {}],
  ['a null', { [CONFIG]: has(null) }],
  ['a listed template', { [CONFIG]: listed }],
  ['several listed templates', { [CONFIG]: named(CHAT_TEMPLATE) }],
  ['a listed template in a file', { [JINJA]: code(CHAT_TEMPLATE) }],
  ['a listed template with a line feed', { [JINJA]: code(`${CHAT_TEMPLATE}\n`) }],
  ['an empty folder', { [FOLDER]: answers(200, []) }],
  ['a listed template everywhere', Object.fromEntries(everywhere)],
])('accepts %s as the chat template of a model', async (_, files) => {
  expect((await refusalOf(files)).refusal).toBeUndefined()
})

const deep = '['.repeat(1_000_000)
it.each<[string, string, Handle, string]>([
  ['another template', CONFIG, has(OTHER), 'CHAT_TEMPLATE'],
  ['another template in a list', CONFIG, named(OTHER), 'CHAT_TEMPLATE'],
  ['an empty template', CONFIG, has(''), 'CHAT_TEMPLATE'],
  ['an additional blank', JINJA, code(`${CHAT_TEMPLATE} `), 'CHAT_TEMPLATE'],
  ['two additional line feeds', JINJA, code(`${CHAT_TEMPLATE}\n\n`), 'CHAT_TEMPLATE'],
  ['another template in a file', JINJA, code(OTHER), 'CHAT_TEMPLATE'],
  ['an inherited property name', JINJA, code('constructor'), 'CHAT_TEMPLATE'],
  ['another template of an old processor', 'chat_template.json', has(OTHER), 'CHAT_TEMPLATE'],
  ['another template of processors', 'processor_config.json', named(OTHER), 'CHAT_TEMPLATE'],
  ['another template among tokens', 'special_tokens_map.json', has(OTHER), 'CHAT_TEMPLATE'],
  [
    'a folder of additional templates',
    FOLDER,
    answers(200, [{ path: 'default.jinja' }]),
    'CHAT_TEMPLATE',
  ],
  ['a number as a template', CONFIG, has(5), 'MODEL_FILE'],
  ['an object of templates', CONFIG, has({ default: CHAT_TEMPLATE }), 'MODEL_FILE'],
  ['a list of texts', CONFIG, has([CHAT_TEMPLATE]), 'MODEL_FILE'],
  ['a list as its configuration', CONFIG, answers(200, []), 'MODEL_FILE'],
  ['a null as its configuration', CONFIG, code('null'), 'MODEL_FILE'],
  ['malformed JSON', CONFIG, code('{"chat_template": NaN'), 'MODEL_FILE'],
  ['a million nested lists', CONFIG, code(deep), 'MODEL_FILE'],
  ['no configuration', CONFIG, answers(404), 'MODEL_NOT_SHOWN'],
  ['hidden files', CONFIG, answers(401), 'MODEL_NOT_SHOWN'],
  ['a hidden file', JINJA, answers(403), 'MODEL_NOT_SHOWN'],
  ['a hidden folder', FOLDER, answers(403), 'MODEL_NOT_SHOWN'],
  ['a large file', CONFIG, has('x'.repeat(4_200_000)), 'MODEL_FILE'],
  ['a file that is gone', CONFIG, answers(410), 'MODEL_FILE'],
  ['a redirect without a location', CONFIG, answers(307), 'MODEL_FILE'],
])('rejects a model with %s', async (_, name, handle, fault) => {
  const { refusal } = await refusalOf({ [name]: handle })
  expect(refusal).toMatchObject({ code: fault })
  expect(refusal?.detail).toContain(`of ${MINER.model} at ${MINER.revision} `)
})

const nest = (depth: number): string => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
const list = (count: number): string => `{"x":[${Array(count).fill('0').join()}]}`

it.each([
  ['brackets 32 deep', nest(32), nest(33)],
  ['262,144 commas and brackets', list(262_143), list(262_144)],
  ['262,144 flat lists', list(262_142).replace('0', '[]'), list(262_143).replace('0', '{}')],
])('accepts a configuration of %s, and rejects a larger one', async (_, most, more) => {
  expect((await refusalOf({ [CONFIG]: code(most) })).refusal).toBeUndefined()
  using parse = vi.spyOn(JSON, 'parse')
  const { refusal } = await refusalOf({ [CONFIG]: code(more) })
  expect(refusal).toMatchObject({ code: 'MODEL_FILE', detail: expect.stringContaining('32 deep') })
  expect(parse).not.toHaveBeenCalledWith(more)
})

it('ignores commas, brackets and escaped quotes in texts', async () => {
  const text = `[{,"\\\\${'[,'.repeat(200_000)}`
  const { refusal } = await refusalOf({ [CONFIG]: answers(200, { [text]: text }) })
  expect(refusal).toBeUndefined()
})

it('reports the digest of the first refused template of 100,000, and hashes no later one', async () => {
  using digest = vi.spyOn(crypto.subtle, 'digest')
  const templates = [CHAT_TEMPLATE, ...Array<string>(99_999).fill('')]
  const list = templates.map((template) => ({ template }))
  const { refusal } = await refusalOf({ [CONFIG]: has(list) })
  expect(refusal?.detail).toContain(createHash('sha256').digest('hex'))
  expect(digest).toHaveBeenCalledTimes(2)
})

const leads =
  (location: string): Handle =>
  (_, response) =>
    response.writeHead(307, { location }).end()

it('follows at most three redirects, and none to another protocol', async () => {
  const chain = { [CONFIG]: leads('/1'), '/1': leads('/2'), '/2': leads('/3') }
  const near = await refusalOf({ ...chain, '/3': listed })
  expect(near.refusal).toBeUndefined()
  const far = await refusalOf({ ...chain, '/3': leads('/4'), '/4': listed })
  expect(far.refusal).toMatchObject({ code: 'MODEL_FILE' })
  expect(far.seen.map(({ url }) => url)).not.toContain('/4')
  for (const place of ['http://127.0.0.1/x', 'file:///x', 'https://[', 'javascript:1']) {
    const { refusal } = await refusalOf({ [CONFIG]: leads(place), '/x': listed })
    expect(refusal).toMatchObject({ code: 'MODEL_FILE' })
  }
})

it.each<[string, Handle]>([
  ['429', answers(429)],
  ['503', answers(503)],
  ['no connection', (request) => request.socket.resetAndDestroy()],
])('rejects with a failure of the platform after %s', async (_, handle) => {
  for (const name of [CONFIG, JINJA, FOLDER])
    await expect(refusalOf({ [name]: handle })).rejects.toThrow()
})
