import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { leadIn, pairsOf } from '../../packages/blocks/test/play-plan.ts'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import { sampleLane } from '../../packages/engine/src/sampling.ts'
import { CHAMPION, CONTENDER, SECRET, scopeOf } from '../../packages/engine/test/lanes.ts'
import { openChutes } from '../../packages/miners/src/index.ts'
import { NODE_CALLER } from '../../packages/miners/src/node/index.ts'
import {
  answers,
  code,
  described,
  fileOf,
  type Handle,
  plays,
  published,
  serveChutes,
} from '../../packages/miners/test/servers.ts'
import { Clock } from '../simulate/clock.ts'
import { testFolder } from '../test-folder.ts'
import { closeServers } from '../web-server.ts'

/*
 * A miner hides its chute from a deployment check so that the failed check counts as a failure of
 * the platform. Protocol §5.4: an answer that a miner can cause counts as a refusal. A validator
 * waits for a hidden model at most as long as for a sleeping chute.
 */
const HEX = 'hex@0.1.0'
const MULT8 = 'mult8@0.1.0'
const SAMPLING_MS = 1_500_000

const minerOf = (hotkey: string) => ({
  hotkey,
  model: `me/affine-${hotkey}`,
  revision: 'ab'.repeat(20),
  chute: randomUUID(),
})
const champion = minerOf(CHAMPION)
const contender = minerOf(CONTENDER)
const ASKED = { ...contender, templates: PROTOCOL.templates }
const DESCRIPTION = `/chutes/${contender.chute}`
const SOURCE = `/chutes/code/${contender.chute}`
const root = testFolder('hidden')

afterEach(() => vi.restoreAllMocks())
afterAll(closeServers)

/** Serves both miners on a stand-in for Chutes. */
async function chutesWith(routes: Readonly<Record<string, Handle>>) {
  const { place, requestsTo } = await serveChutes({
    ...published(champion, 'one'),
    ...published(contender, 'two'),
    '/users/me': answers(200, { balance: 5 }),
    '/one/v1/chat/completions': plays,
    '/two/v1/chat/completions': plays,
    ...routes,
  })
  const chutes = openChutes({ ...NODE_CALLER, apiKey: 'cpk_1', concurrency: 64, ...place })
  return { ...chutes, requestsTo }
}

const large = { ...described(contender, 'two'), readme: 'x'.repeat(300_000) }
type Hiding = readonly [what: string, path: string, handle: Handle]
const hidings: readonly Hiding[] = [
  ['a large description', DESCRIPTION, answers(200, large)],
  ['a large source', SOURCE, code('#'.repeat(300_000))],
  ...[307, 401, 403, 404].flatMap((status) => [
    [`a description with status ${status}`, DESCRIPTION, answers(status)] as const,
    [`a source with status ${status}`, SOURCE, answers(status)] as const,
  ]),
]

const FILE = fileOf(contender, 'tokenizer_config.json')
const hidden = [401, 403, 404].map((status): Hiding => {
  return [`a file with status ${status}`, FILE, answers(status)]
})

test.each([...hidings, ...hidden])(
  'treats %s at the second check as a change',
  async (_, path, hides) => {
    const shows = published(contender, 'two')[path]
    let isHidden = false
    const { mayAsk, hasChanged } = await chutesWith({
      [path]: (...args) => (isHidden ? hides : shows)?.(...args),
    })
    const { signal } = new AbortController()
    await mayAsk(ASKED, { epoch: 0, signal })
    expect(await hasChanged(ASKED, { epoch: 0, signal })).toBe(false)
    isHidden = true
    expect(await hasChanged(ASKED, { epoch: 0, signal })).toBe(true)
  },
)

const outages: readonly Hiding[] = [
  ['a description with status 503', DESCRIPTION, answers(503)],
  ['a source with status 429', SOURCE, answers(429)],
  ['a description that breaks off', DESCRIPTION, (request) => request.socket.resetAndDestroy()],
  ['a description in HTML', DESCRIPTION, code('<html>')],
]

test.each(outages)(
  'does not count %s as a change, even if it lasts to the end of the second check',
  async (_, path, fails) => {
    const shows = published(contender, 'two')[path]
    const minute = new AbortController()
    let failures: number | undefined
    const { mayAsk, hasChanged } = await chutesWith({
      [path]: (...args) => {
        if (failures === undefined) return shows?.(...args)
        failures += 1
        if (failures > 2) minute.abort(new Error('the minute is over'))
        fails(...args)
      },
    })
    const { signal } = new AbortController()
    await mayAsk(ASKED, { epoch: 0, signal })
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(minute.signal)
    failures = 0
    expect(await hasChanged(ASKED, { epoch: 0, signal })).toBe(false)
    expect(failures).toBe(3)
  },
)

test.each(hidings)(
  'makes the contender lose every challenge if Chutes answers with %s until sampling ends',
  async (_, path, hides) => {
    const time = new Clock()
    const shows = published(contender, 'two')[path]
    const { agent, mayAsk, hasChanged, requestsTo } = await chutesWith({
      [path]: (...args) => {
        const [, , index] = args
        if (index === 0) return hides(...args)
        time.skip(SAMPLING_MS)
        shows?.(...args)
      },
    })
    const { samples } = await sampleLane({
      scope: scopeOf({ [HEX]: 8, [MULT8]: 8 }),
      miners: [{ ...champion, templates: PROTOCOL.templates }, ASKED],
      secret: SECRET,
      journalPath: join(root, randomUUID()),
      deadline: new AbortController().signal,
      gamesTime: { ...time, samplingMs: SAMPLING_MS, endsAt: SAMPLING_MS },
      now: () => 0,
      on: () => {},
      ...{ agent, mayAsk, hasChanged },
    })
    const pairs = pairsOf(samples)
    expect(pairs.length).toBe(16)
    for (const pair of pairs) {
      expect(leadIn(pair)).toBeLessThan(0)
      expect(pair.contender).toMatchObject({ fault: 'no-reply', messages: [{ role: 'user' }] })
    }
    expect(requestsTo('/two/v1/chat/completions')).toEqual([])
  },
)
