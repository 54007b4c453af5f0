import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { leadIn, pairsOf } from '../../packages/blocks/test/play-plan.ts'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import { sampleLane } from '../../packages/engine/src/sampling.ts'
import { CHAMPION, CONTENDER, SECRET, scopeOf } from '../../packages/engine/test/lanes.ts'
import { type MinerError, openChutes } from '../../packages/miners/src/index.ts'
import { NODE_CALLER } from '../../packages/miners/src/node/index.ts'
import { alteredDescriptions } from '../../packages/miners/test/altered-descriptions.ts'
import {
  answers,
  CHAT_TEMPLATE,
  code,
  described,
  fileOf,
  type Handle,
  plays,
  published,
  serveChutes,
  wakeOf,
} from '../../packages/miners/test/servers.ts'
import { altered, MODEL, REVISION, sourceFor } from '../../packages/miners/test/sources.ts'
import { Clock } from '../simulate/clock.ts'
import { testFolder } from '../test-folder.ts'
import { closeServers } from '../web-server.ts'

const MINER = {
  hotkey: '5M',
  model: MODEL,
  revision: REVISION,
  chute: randomUUID(),
  templates: PROTOCOL.templates,
}
type Chute = typeof MINER
/** The path of the chute's completions. */
const POST = '/mine/v1/chat/completions'
const CODE = `/chutes/code/${MINER.chute}`
const DESCRIPTION = `/chutes/${MINER.chute}`
const DESCRIBED = described(MINER, 'mine')
const shows = (more: object): Handle => answers(200, { ...DESCRIBED, ...more })

afterEach(() => vi.restoreAllMocks())
afterAll(closeServers)

/** Serves a miner's chute that plays perfectly, except that `path` answers otherwise. */
async function oneChute(path: string, handle: Handle, miner: Chute = MINER) {
  const plain = { ...published(miner, 'mine'), [POST]: plays }
  const { place, requestsTo } = await serveChutes({ ...plain, [path]: handle })
  const problems: MinerError[] = []
  const { agent, hasChanged } = openChutes({
    ...{ ...NODE_CALLER, ...place, apiKey: 'cpk_1', concurrency: 8 },
    on: (event) => {
      if (event.type === 'problem') problems.push(event.error)
    },
  })
  const epoch = { epoch: 0, signal: new AbortController().signal }
  const prompt = { role: 'user', content: 'Compute 12345678 * 87654321.' } as const
  return {
    problems,
    ask: () => agent(miner, 10_000, epoch)([prompt]),
    hasChanged: () => hasChanged(miner, epoch),
    asked: () => [...requestsTo(POST), ...requestsTo(wakeOf(miner))],
  }
}

/** Asks a chute, then lets `path` answer with `later`. Resolves with the chute. */
async function changeLater(path: string, later: Handle, miner: Chute = MINER) {
  let isLater = false
  const before = published(miner, 'mine')[path]
  const chute = await oneChute(path, (...args) => (isLater ? later : before)?.(...args), miner)
  expect(await chute.ask()).toHaveProperty('content')
  expect(await chute.hasChanged()).toBe(false)
  isLater = true
  return chute
}

/** A path of Chutes with an altered answer, and the problem that is reported for it. */
type Refused = readonly [what: string, path: string, handle: Handle, problem: object]

/** Checks that the chute is never asked, and that the problem is reported once. */
async function expectRefused(...[, path, handle, problem]: Refused): Promise<void> {
  const { ask, hasChanged, asked, problems } = await oneChute(path, handle)
  for (let i = 0; i < 3; i++) expect(await ask()).toEqual({ fault: 'no-reply' })
  // The chute was not asked, so there is no reply to discard.
  expect(await hasChanged()).toBe(false)
  expect(asked()).toEqual([])
  expect(problems).toEqual([expect.objectContaining(problem)])
}

// A chute can run any program: a table of all boards, a relay to the champion, or a 503 to gain
// time. Here all chutes would reply perfectly, but a chute that fails its check is never asked.
describe('model-only-chutes', () => {
  test.each<Refused>([
    ...altered
      .filter((_, i) => i % 40 === 0)
      .map(([what, source, fault]): Refused => {
        const message = expect.stringContaining(`${fault}: `)
        return [`with ${what} in its source`, CODE, code(source), { code: fault, message }]
      }),
    ['whose source is not shown', CODE, answers(404), { code: 'NOT_SHOWN' }],
    ['with a large source', CODE, code(`# ${'x'.repeat(1_100_000)}`), { code: 'TOO_LARGE' }],
    ...alteredDescriptions
      .filter((_, i) => i % 12 === 0)
      .map(([what, more, code]): Refused => [what, DESCRIPTION, shows(more), { code }]),
  ])('never asks a chute %s, and reports why', expectRefused)

  test.each([
    ['changed and changed back', DESCRIPTION, shows({ updated_at: '2026-05-01T01:00:00Z' })],
    ['given another source', CODE, code(sourceFor(MINER).replace('32768', '16384'))],
    ['given another image', DESCRIPTION, shows({ image: { ...DESCRIBED.image, tag: 'mine' } })],
    ['closed', DESCRIPTION, shows({ execution_backend: 'external' })],
  ])('detects a chute that is %s within an epoch', async (_, path, later) => {
    const { hasChanged, problems } = await changeLater(path, later)
    expect(await hasChanged()).toBe(true)
    expect(problems).toEqual([expect.objectContaining({ code: 'changed' })])
  })

  test('accepts another version of a chute, as after Chutes updates an image’s library', async () => {
    const version = shows({ version: randomUUID() })
    const { hasChanged, problems } = await changeLater(DESCRIPTION, version)
    expect(await hasChanged()).toBe(false)
    expect(problems).toEqual([])
  })
})

// A chat template in a model's own files multiplies and puts the product into the prompt. A model
// is not asked if it has such a template in any place that an engine reads.
describe('template-that-computes', () => {
  const FOLDER = `/api/models/${MINER.model}/tree/${MINER.revision}/additional_chat_templates`
  const CONFIG = fileOf(MINER, 'tokenizer_config.json')
  const COMPUTES =
    "{% set words = messages[-1]['content'].rstrip('.').split() %}" +
    '{{ (words[1] | int) * (words[3] | int) }}'
  const json = (chat_template: unknown): Handle => answers(200, { chat_template })
  const list = [
    { name: 'default', template: CHAT_TEMPLATE },
    { name: 'tool_use', template: COMPUTES },
  ]

  test.each([
    ['in tokenizer_config.json', CONFIG, json(COMPUTES)],
    ['in a list in tokenizer_config.json', CONFIG, json(list)],
    ['as chat_template.jinja', fileOf(MINER, 'chat_template.jinja'), code(COMPUTES)],
    ['in additional_chat_templates', FOLDER, answers(200, [{ path: 'default.jinja' }])],
  ])('never asks a model with a template that computes, %s', (...row) =>
    expectRefused(...row, { code: 'CHAT_TEMPLATE' }),
  )
})

// A miner hides its chute from a deployment check so that the failed check counts as a failure of
// the platform. Protocol §5.4: an answer that a miner can cause counts as a refusal. A validator
// waits for a hidden model at most as long as for a sleeping chute.
describe('hidden-from-checks', () => {
  const SAMPLING_MS = 1_500_000
  const root = testFolder('hidden')
  const minerOf = (hotkey: string): Chute => {
    return { ...MINER, hotkey, model: `me/affine-${hotkey}`, chute: randomUUID() }
  }
  const [champion, contender] = [minerOf(CHAMPION), minerOf(CONTENDER)]
  const [description, source] = [`/chutes/${contender.chute}`, `/chutes/code/${contender.chute}`]
  const file = fileOf(contender, 'tokenizer_config.json')
  const shown = published(contender, 'mine')
  const large = { ...described(contender, 'mine'), readme: 'x'.repeat(300_000) }

  type Hiding = readonly [what: string, path: string, handle: Handle]
  const hidings: readonly Hiding[] = [
    ['a large description', description, answers(200, large)],
    ['a large source', source, code('#'.repeat(300_000))],
    ...[307, 401, 403, 404].flatMap((status) => [
      [`a description with status ${status}`, description, answers(status)] as const,
      [`a source with status ${status}`, source, answers(status)] as const,
    ]),
  ]
  const hidden = [401, 403, 404].map((status): Hiding => {
    return [`a file with status ${status}`, file, answers(status)]
  })

  test.each([...hidings, ...hidden])(
    'treats %s at the second check as a change',
    async (_, path, hides) => {
      const { hasChanged } = await changeLater(path, hides, contender)
      expect(await hasChanged()).toBe(true)
    },
  )

  test.each<Hiding>([
    ['a description with status 503', description, answers(503)],
    ['a source with status 429', source, answers(429)],
    ['a description that breaks off', description, ({ socket }) => socket.resetAndDestroy()],
    ['a description in HTML', description, code('<html>')],
  ])(
    'does not count %s as a change, even if it lasts to the end of the second check',
    async (_, path, fails) => {
      const minute = new AbortController()
      let failures = 0
      const { hasChanged } = await changeLater(
        path,
        (...args) => {
          failures += 1
          if (failures > 2) minute.abort(new Error('the minute is over'))
          fails(...args)
        },
        contender,
      )
      vi.spyOn(AbortSignal, 'timeout').mockReturnValue(minute.signal)
      expect(await hasChanged()).toBe(false)
      expect(failures).toBe(3)
    },
  )

  test.each(hidings)(
    'makes the contender lose every challenge if Chutes answers with %s until sampling ends',
    async (_, path, hides) => {
      const time = new Clock()
      const { place, requestsTo } = await serveChutes({
        ...published(champion, 'one'),
        ...shown,
        '/users/me': answers(200, { balance: 5 }),
        '/one/v1/chat/completions': plays,
        [path]: (...args) => {
          const [, , index] = args
          if (index === 0) return hides(...args)
          time.skip(SAMPLING_MS)
          shown[path]?.(...args)
        },
      })
      const { samples } = await sampleLane({
        scope: scopeOf({ 'hex@0.1.0': 2, 'mult8@0.1.0': 2 }),
        miners: [champion, contender],
        secret: SECRET,
        journalPath: join(root, randomUUID()),
        deadline: new AbortController().signal,
        gamesTime: { ...time, samplingMs: SAMPLING_MS, endsAt: SAMPLING_MS },
        now: () => 0,
        on: () => {},
        ...openChutes({ ...NODE_CALLER, apiKey: 'cpk_1', concurrency: 64, ...place }),
      })
      const pairs = pairsOf(samples)
      expect(pairs.length).toBe(4)
      for (const pair of pairs) {
        expect(leadIn(pair)).toBeLessThan(0)
        expect(pair.contender).toMatchObject({ fault: 'no-reply', messages: [{ role: 'user' }] })
      }
      expect(requestsTo(POST)).toEqual([])
    },
  )
})
