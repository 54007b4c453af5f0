import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { make, play } from '@affine/envs'
import type { Listening } from '@affine/miners/node'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { AF, killAll, start } from '../../../test/processes.ts'
import { answerTo } from '../src/openenv/answer.ts'
import { serveEnvironments } from '../src/openenv/server.ts'
import { MOST_SESSIONS, Session } from '../src/openenv/session.ts'

const CHALLENGE = 'vBK25fcxhA1CnWXfVUW9LV4H3WttabjwUZK3di6rrPF'
const ENVS = ['tictactoe-v0', 'mult8-v0']
const PATIENT = { sessions: 8, idleMs: 60_000, port: 0 }
type Answer = { type: string; data: Record<string, unknown> }
let served: Listening

beforeAll(async () => {
  served = await serveEnvironments(ENVS, PATIENT)
})
afterAll(async () => {
  served[Symbol.dispose]()
  await killAll()
})

const socketTo = (url: string): WebSocket => new WebSocket(`${url.replace('http', 'ws')}/ws`)

/** A session that is closed with its scope. */
async function connected(url: string) {
  const socket = socketTo(url)
  await once(socket, 'open')
  const hear = async (): Promise<Answer> => JSON.parse(String((await once(socket, 'message'))[0]))
  const say = async (message: unknown): Promise<Answer> => {
    const heard = hear()
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    return heard
  }
  const ask = (type: string, data?: object) => say({ type, ...(data && { data }) })
  const end = async (): Promise<number> => {
    if (socket.readyState === WebSocket.CLOSED) return 0
    socket.close()
    return (await once(socket, 'close'))[0]
  }
  return { socket, hear, say, ask, [Symbol.asyncDispose]: async () => void (await end()) }
}

const post = (path: string, body: unknown) =>
  fetch(`${served.url}${path}`, { method: 'POST', body: JSON.stringify(body) })

describe('a session', () => {
  it('plays a challenge as play does', async () => {
    for (const name of ENVS) {
      const { spec } = make(name)
      const want = await play({ spec }, CHALLENGE, (messages) => ({
        content: spec.solve(messages.at(-1)?.content ?? ''),
      }))
      await using session = await connected(`${served.url}/${name}`)
      let answer = await session.ask('reset', { challenge_id: CHALLENGE, episode_id: 'one' })
      expect(answer).toMatchObject({ type: 'observation', data: { reward: null, done: false } })
      const prompts: unknown[] = []
      let total = 0
      while (!answer.data.done) {
        const { prompt } = answer.data.observation as { prompt: string }
        prompts.push(prompt)
        answer = await session.ask('step', { reply: `So:\r\n${spec.solve(prompt)}` })
        total += answer.data.reward as number
      }
      expect(answer.data.observation).toEqual({ prompt: null })
      expect(prompts).toEqual(
        want.messages.filter(({ role }) => role === 'user').map(({ content }) => content),
      )
      expect(total).toBe(want.reward)
      expect(await session.ask('state')).toEqual({
        type: 'state',
        data: {
          episode_id: 'one',
          step_count: prompts.length,
          env: spec.id,
          challenge_id: CHALLENGE,
          total_reward: total,
        },
      })
    }
  })

  it('is of the first environment at the root, from a seed, or one that is drawn', async () => {
    await using session = await connected(served.url)
    const prompt = make('tictactoe-v0')
    const [observation] = prompt.reset({ seed: 5 })
    const reset = { observation: { prompt: prompt.prompt(observation) }, reward: null, done: false }
    expect(await session.ask('reset', { seed: 5 })).toEqual({ type: 'observation', data: reset })
    expect((await session.ask('reset')).data).not.toEqual(reset)
    expect((await session.ask('reset', { seed: null, other: 1 })).data).not.toEqual(reset)
    await using other = await connected(served.url)
    expect((await other.ask('reset')).data).not.toEqual((await session.ask('reset')).data)
  })

  it('is apart from the others', async () => {
    const opened = await Promise.all(ENVS.map(() => connected(`${served.url}/mult8-v0`)))
    const resets = await Promise.all(opened.map((each, seed) => each.ask('reset', { seed })))
    const { spec } = make('mult8-v0')
    const [first = '', second = ''] = resets.map(({ data }) =>
      spec.solve((data.observation as { prompt: string }).prompt),
    )
    expect((await opened[1]!.ask('step', { reply: first })).data.reward).toBe(0)
    expect((await opened[0]!.ask('step', { reply: first })).data.reward).toBe(1)
    expect(first).not.toBe(second)
    for (const each of opened) await each[Symbol.asyncDispose]()
  })

  it('forfeits with a reply that is oversize, illegal or none', async () => {
    await using session = await connected(served.url)
    for (const reply of [`${'x'.repeat(4097)}\nA1`, 'Z9', '']) {
      await session.ask('reset', { challenge_id: CHALLENGE })
      expect((await session.ask('step', { reply })).data).toMatchObject({ reward: -1, done: true })
    }
  })

  it('counts the replies of an episode, not those of the one before', async () => {
    await using session = await connected(`${served.url}/mult8-v0`)
    for (const reply of ['1', '2']) {
      await session.ask('reset', { seed: 1 })
      expect((await session.ask('state')).data.step_count).toBe(0)
      await session.ask('step', { reply })
      expect((await session.ask('state')).data.step_count).toBe(1)
    }
  })

  it('ends with the server', async () => {
    const brief = await serveEnvironments(ENVS, PATIENT)
    const { socket } = await connected(brief.url)
    const closed = once(socket, 'close')
    brief[Symbol.dispose]()
    expect((await closed)[0]).toBe(1006)
  })

  it('is ended by a close', async () => {
    const { socket } = await connected(served.url)
    socket.send('{"type":"close"}')
    expect((await once(socket, 'close'))[0]).toBe(1000)
  })
})

describe('what cannot be done is said, and the session goes on', () => {
  it.each([
    ['INVALID_JSON', ['', '{', 'null,', '\ufeff{}']],
    ['VALIDATION_ERROR', ['null', '5', '[]', '{}', '{"type":5}', '{"type":"step"}']],
    ['UNKNOWN_TYPE', ['{"type":""}', '{"type":"mcp"}', '{"type":"__proto__"}']],
    [
      'VALIDATION_ERROR',
      [
        { seed: -1 },
        { seed: 0.5 },
        { seed: 2 ** 53 },
        { seed: '5' },
        { challenge_id: 'x' },
        { challenge_id: CHALLENGE, seed: 1 },
        { episode_id: 'x'.repeat(256) },
      ].map((data) => JSON.stringify({ type: 'reset', data })),
    ],
    ['VALIDATION_ERROR', ['{"type":"reset","data":5}', '{"type":"step","data":{"reply":5}}']],
    ['EXECUTION_ERROR', ['{"type":"step","data":{"reply":"A1"}}']],
  ])('%s', async (code, messages) => {
    await using session = await connected(served.url)
    for (const message of messages) {
      const { type, data } = await session.say(message)
      expect([type, data.code, typeof data.message], message).toEqual(['error', code, 'string'])
      expect(Array.isArray(data.errors)).toBe(code === 'VALIDATION_ERROR')
    }
    expect(await session.ask('reset', { seed: 1 })).toMatchObject({ type: 'observation' })
    const heard = session.hear()
    session.socket.send(Buffer.from('{"type":"state"}'))
    expect((await heard).data.code).toBe('INVALID_JSON')
  })

  it('whatever comes', () => {
    const session = new Session(make('mult8-v0').spec)
    const types = fc.constantFrom('reset', 'step', 'state', 'x')
    const message = fc.record({ type: types, data: fc.jsonValue() }, { requiredKeys: [] })
    const texts = fc.oneof(
      fc.string(),
      message.map((value) => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const answer = answerTo(session, text) as Answer
        expect(['observation', 'state', 'error']).toContain(answer.type)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('bounds', () => {
  it('of sessions at once: one more is told so, and has its turn when one ends', async () => {
    using small = await serveEnvironments(['mult8-v0'], { ...PATIENT, sessions: 2 })
    const first = await connected(small.url)
    await using _second = await connected(small.url)
    const third = socketTo(small.url)
    const closed = once(third, 'close')
    const [said] = await once(third, 'message')
    const error = { code: 'CAPACITY_REACHED', active_sessions: 2, max_sessions: 2 }
    expect(JSON.parse(String(said))).toMatchObject({ type: 'error', data: error })
    expect((await closed)[0]).toBe(1013)
    await first[Symbol.asyncDispose]()
    // the server may hear of it later than we do
    for (let said = ''; said !== 'state'; await sleep(10)) {
      await using again = await connected(small.url)
      said = (await again.ask('state').catch(() => ({ type: '' }))).type
    }
  })

  it('of sessions at once: a thousand are held, and answered apart', async () => {
    using large = await serveEnvironments(['mult8-v0'], { ...PATIENT, sessions: MOST_SESSIONS })
    const all = await Promise.all(Array.from({ length: MOST_SESSIONS }, () => connected(large.url)))
    const answers = await Promise.all(all.map((each, seed) => each.ask('reset', { seed })))
    const prompts = answers.map(({ data }) => (data.observation as { prompt: string }).prompt)
    const env = make('mult8-v0')
    expect(prompts).toEqual(all.map((_, seed) => env.prompt(env.reset({ seed })[0])))
    const steps = await Promise.all(
      all.map((each, seed) => each.ask('step', { reply: env.spec.solve(prompts[seed]!) })),
    )
    expect(steps.every(({ data }) => data.reward === 1)).toBe(true)
  })

  it('of silence: a message starts it anew', async () => {
    using hasty = await serveEnvironments(['mult8-v0'], { ...PATIENT, idleMs: 4000 })
    const session = await connected(hasty.url)
    const closed = once(session.socket, 'close')
    for (let i = 0; i < 5; i++) {
      await sleep(1000)
      await session.ask('state')
    }
    expect((await closed)[0]).toBe(1001)
  })

  it('of a message', async () => {
    const { socket } = await connected(served.url)
    const closed = once(socket, 'close')
    socket.send('x'.repeat(1024 * 1024 + 1))
    expect((await closed)[0]).toBe(1009)
    using other = await serveEnvironments(['mult8-v0'], PATIENT)
    const body = 'x'.repeat(1024 * 1024 + 1)
    expect((await fetch(`${other.url}/reset`, { method: 'POST', body })).status).toBe(413)
  })

  it('of what a client leaves unread', async () => {
    const { socket } = await connected(served.url)
    const closed = once(socket, 'close')
    await sleep(10)
    socket.pause()
    const reset = '{"type":"reset"}'
    for (let sent = 0; sent < 60_000; sent++) socket.send(reset)
    while (socket.bufferedAmount > 0 && socket.readyState === WebSocket.OPEN) await sleep(20)
    await sleep(100)
    socket.resume()
    expect((await closed)[0]).toBe(1006)
  })
})

describe('over HTTP', () => {
  it('each request has an environment of its own', async () => {
    const get = async (path: string) => (await fetch(`${served.url}${path}`)).json()
    for (const path of ['', '/tictactoe-v0', '/mult8-v0']) {
      const env = path === '/mult8-v0' ? 'mult8@0.1.0' : 'tictactoe@0.1.0'
      expect(await get(`${path}/health`)).toEqual({ status: 'healthy' })
      const metadata = await get(`${path}/metadata`)
      expect(Object.keys(metadata)).toEqual(['name', 'version', 'description'])
      expect(env).toBe(`${metadata.name}@${metadata.version}`)
      const { action, observation, state } = await get(`${path}/schema`)
      expect(Object.keys(action.properties)).toEqual(['reply'])
      expect(Object.keys(observation.properties)).toEqual(['prompt'])
      const fresh = await get(`${path}/state`)
      expect(Object.keys(fresh)).toEqual(Object.keys(state.properties))
      expect(fresh).toMatchObject({ env, step_count: 0 })
    }
  })

  it('resets, and plays the first step of the episode that is named', async () => {
    const reset = await (await post('/mult8-v0/reset', { challenge_id: CHALLENGE })).json()
    const reply = make('mult8-v0').spec.solve(reset.observation.prompt)
    const from = { challenge_id: CHALLENGE }
    const step = await (await post('/mult8-v0/step', { action: { reply }, ...from })).json()
    expect(step).toEqual({ observation: { prompt: null }, reward: 1, done: true })
    const none = await fetch(`${served.url}/reset`, { method: 'POST' })
    expect(await none.json()).toMatchObject({ reward: null, done: false })
  })

  it('says what is wrong', async () => {
    const action = { reply: 'A1' }
    for (const [path, body] of [
      ['/reset', { seed: 'x' }],
      ['/reset', []],
      ['/step', { action }],
      ['/step', { action: { reply: 5 }, seed: 1 }],
      ['/step', { seed: 1 }],
      ['/step', { action, seed: 1, challenge_id: CHALLENGE }],
    ] as const) {
      const answer = await post(path, body)
      expect(answer.status).toBe(422)
      expect((await answer.json()).detail.length).toBeGreaterThan(0)
    }
    const broken = await fetch(`${served.url}/reset`, { method: 'POST', body: '{' })
    expect(broken.status).toBe(422)
  })

  it('has nothing elsewhere', async () => {
    expect((await fetch(`${served.url}/nothing/health`)).status).toBe(404)
    for (const path of ['/', '/nothing/ws', '/%/ws', '/wss']) {
      const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
      const upgrade = `Upgrade: websocket\r\nConnection: Upgrade\r\n`
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`)
      const [said] = await once(socket, 'data')
      expect(String(said)).toMatch(/^HTTP\/1.1 404 /)
      socket.resetAndDestroy()
    }
    expect((await fetch(`${served.url}/health`)).status).toBe(200)
  })
})

it('is a command, which ends with Ctrl-C whoever is connected', async () => {
  const { says, stop } = start(AF, ['env', 'serve', ...ENVS, '--port', '0', '--sessions', '1'])
  const [, url = ''] = await says(/serving tictactoe-v0, mult8-v0 at (\S+);/)
  const { socket } = await connected(url)
  const closed = once(socket, 'close')
  expect((await stop()).code).toBe(130)
  await closed
  const { code, stderr } = await start(AF, ['env', 'serve', 'chess-v0', '--port', '0']).ended
  expect([code, stderr]).toEqual([2, expect.stringContaining('expected one of')])
})
