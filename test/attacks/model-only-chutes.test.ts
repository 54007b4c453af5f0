import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import { alteredDescriptions } from '../../packages/miners/test/altered-descriptions.ts'
import { altered } from '../../packages/miners/test/altered-sources.ts'
import { MODEL, REVISION } from '../../packages/miners/test/plain-sources.ts'
import {
  answers,
  described,
  type Handle,
  published,
  code as showing,
  sourceFor,
  wakeOf,
} from '../../packages/miners/test/servers.ts'
import { closeServers } from '../web-server.ts'
import { oneChute, POST } from './one-chute.ts'

/*
 * A chute can run any program: a table of all boards, a relay to the champion, or a 503 to gain
 * time. Here all chutes would reply perfectly; a chute that its check refuses is never asked.
 */
const MINER = {
  hotkey: '5M',
  model: MODEL,
  revision: REVISION,
  chute: randomUUID(),
  templates: PROTOCOL.templates,
}
const DESCRIBED = described(MINER, 'mine')

afterAll(closeServers)

test.each(altered.filter((_, i) => i % 40 === 0))(
  'never asks a chute with %s in its source, and names the line',
  async (...[, source, code, line]) => {
    const { ask, requestsTo, problems } = await oneChute(MINER, {
      [`/chutes/code/${MINER.chute}`]: showing(source),
    })
    for (let i = 0; i < 3; i++) expect(await ask()).toEqual({ fault: 'no-reply' })
    expect([...requestsTo(POST), ...requestsTo(wakeOf(MINER))]).toEqual([])
    const message = expect.stringContaining(`${code}: line ${line}: `)
    expect(problems).toEqual([expect.objectContaining({ code, message })])
  },
)

test('never asks a chute whose source is not shown or too large', async () => {
  const path = `/chutes/code/${MINER.chute}`
  const large = showing(`# ${'x'.repeat(1_100_000)}`)
  for (const [route, code] of [
    [answers(404), 'NOT_SHOWN'],
    [large, 'TOO_LARGE'],
  ] as const) {
    const { ask, hasChanged, requestsTo, problems } = await oneChute(MINER, { [path]: route })
    expect(await ask()).toEqual({ fault: 'no-reply' })
    // The chute was not asked, so there is no reply to discard.
    expect(await hasChanged()).toBe(false)
    expect([...requestsTo(POST), ...requestsTo(wakeOf(MINER))]).toEqual([])
    expect(problems).toEqual([expect.objectContaining({ code })])
  }
})

test.each(alteredDescriptions.filter((_, i) => i % 12 === 0))(
  'never asks a chute %s',
  async (_, more, code) => {
    const routes = { [`/chutes/${MINER.chute}`]: answers(200, { ...DESCRIBED, ...more }) }
    const { ask, requestsTo, problems } = await oneChute(MINER, routes)
    expect(await ask()).toEqual({ fault: 'no-reply' })
    expect([...requestsTo(POST), ...requestsTo(wakeOf(MINER))]).toEqual([])
    expect(problems[0]).toMatchObject({ code })
  },
)

const CODE = `/chutes/code/${MINER.chute}`
const DESCRIPTION = `/chutes/${MINER.chute}`
const shows = (more: object): Handle => answers(200, { ...DESCRIBED, ...more })
const changes: readonly (readonly [what: string, path: string, later: Handle])[] = [
  ['changed and changed back', DESCRIPTION, shows({ updated_at: '2026-05-01T01:00:00Z' })],
  ['of another source', CODE, showing(sourceFor(MINER).replace('32768', '16384'))],
  ['of another image', DESCRIPTION, shows({ image: { ...DESCRIBED.image, tag: 'mine' } })],
  ['closed', DESCRIPTION, shows({ execution_backend: 'external' })],
]

/** Serves a chute that is asked, whose `path` answers with `later` from the third check on. */
async function serveChanging(path: string, later: Handle) {
  let isLater = false
  const before = published(MINER, 'mine')[path]
  const { ask, hasChanged, problems } = await oneChute(MINER, {
    [path]: (...args) => (isLater ? later : before)?.(...args),
  })
  expect(await ask()).toHaveProperty('content')
  expect(await hasChanged()).toBe(false)
  isLater = true
  return { hasChanged, problems }
}

test.each(changes)('detects a chute that is %s within an epoch', async (_, path, later) => {
  const { hasChanged, problems } = await serveChanging(path, later)
  expect(await hasChanged()).toBe(true)
  expect(problems).toEqual([expect.objectContaining({ code: 'changed' })])
})

test('accepts another version of a chute, as after Chutes updates an image’s library', async () => {
  const { hasChanged, problems } = await serveChanging(
    DESCRIPTION,
    shows({ version: randomUUID() }),
  )
  expect(await hasChanged()).toBe(false)
  expect(problems).toEqual([])
})
