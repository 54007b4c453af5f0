import { pcg64 } from '@affine/prng'
import { Bench } from 'tinybench'
import {
  challengeId,
  type Env,
  type Message,
  make,
  play,
  registry,
  replay,
  specHash,
} from '../src/index.ts'

const EPISODES = 1000
const zeros = '0'.repeat(64)

/** Seeds every episode, plays it with random legal actions, and counts the steps. */
function steps(env: Env, first: number): number {
  let count = 0
  for (let seed = first; seed < first + EPISODES; seed++) {
    let [observation] = env.reset({ seed })
    for (let over = false; !over; count++) {
      const [next, , terminated, truncated] = env.step(legal(env, observation, seed + count))
      over = terminated || truncated
      observation = next
    }
  }
  return count
}

function legal(env: Env, observation: unknown, start: number): unknown {
  if (env.spec.name !== 'tictactoe') return '123456789012345'
  const board = observation as readonly number[]
  let cell = start % 9
  while (board[cell] !== 0) cell = (cell + 1) % 9
  return cell
}

const rows: Record<string, string>[] = []
for (const id of registry.keys()) {
  const env = make(id)
  const idOf = (index: number): string =>
    challengeId({
      genesis: zeros,
      netuid: 1,
      env: id,
      specHash: specHash(id),
      duel: zeros,
      validator: 'v',
      epoch: 0,
      beacon: zeros,
      secret: zeros,
      index,
    })
  const records: { challenge: string; messages: readonly Message[] }[] = []
  for (let index = 0; index < EPISODES; index++) {
    const challenge = idOf(index)
    const { messages } = await play(env, challenge, (conversation) => ({
      content: env.spec.solve(conversation.at(-1)?.content ?? ''),
    }))
    records.push({ challenge, messages })
  }
  const perBatch = steps(env, 0)
  const bench = new Bench({ time: 1000, warmupTime: 300 })
    .add('steps, seeded every episode', () => void steps(env, 0))
    .add('episodes replayed', () => {
      for (const { challenge, messages } of records)
        if (!replay(env, challenge, messages).ok) throw new Error('replay failed')
    })
    .add('seeds alone', () => {
      for (let seed = 0; seed < EPISODES; seed++) pcg64(seed)
    })
  await bench.run()
  for (const task of bench.tasks) {
    const { result } = task
    if (result === undefined || result.error) throw new Error(`"${task.name}" did not complete`)
    const items = task.name.startsWith('steps') ? perBatch : EPISODES
    const perSecond = items / ((result.latency.p50 ?? Number.NaN) / 1000)
    rows.push({
      environment: id,
      what: task.name,
      'per second': Math.round(perSecond).toLocaleString('en'),
      'µs each': (1e6 / perSecond).toFixed(2),
    })
  }
}
console.table(rows)
