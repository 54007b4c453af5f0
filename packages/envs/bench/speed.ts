import { digest, pcg64 } from '@affine/prng'
import { Bench } from 'tinybench'
import { encodeId } from '../src/challenge.ts'
import {
  type Env,
  type Message,
  make,
  type PerSide,
  play,
  playGame,
  registry,
  replay,
  replayGame,
  specHash,
} from '../src/index.ts'

const EPISODES = 500

/** Returns the CPU time of this process in all threads, which excludes other programs. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Prints for each environment the steps, replayed replies and seeds per second of CPU time, and the
 * time of its specHash.
 */
export async function printSpeed(): Promise<void> {
  const rows: Record<string, string>[] = []
  for (const id of registry.keys()) {
    const start = cpuMs()
    specHash(id)
    const hashMs = cpuMs() - start
    const env = make(id)
    const { replayAll, replies } = await recorded(env)
    const counts = { 'steps, seeded every episode': steps(env), 'replies replayed': replies }
    const bench = new Bench({ now: cpuMs, time: 1000, warmupTime: 300 })
      .add('steps, seeded every episode', () => void steps(env))
      .add('replies replayed', replayAll)
      .add('seeds alone', () => {
        for (let seed = 0; seed < EPISODES; seed++) pcg64(seed)
      })
    await bench.run()
    for (const { name, result } of bench.tasks) {
      if (result === undefined || result.error) throw new Error(`"${name}" did not complete`)
      const count = counts[name as keyof typeof counts] ?? EPISODES
      const perSecond = count / ((result.latency.p50 ?? Number.NaN) / 1000)
      rows.push({
        environment: id,
        what: name,
        'per second': Math.round(perSecond).toLocaleString('en'),
        'µs each': (1e6 / perSecond).toFixed(2),
      })
    }
    rows.push({ environment: id, what: 'specHash', 'µs each': (1000 * hashMs).toFixed(0) })
  }
  console.table(rows)
}

/** Seeds every episode, plays it with legal actions, and counts the steps. */
function steps(env: Env): number {
  let count = 0
  for (let seed = 0; seed < EPISODES; seed++) {
    let [observation] = env.reset({ seed })
    for (let over = false; !over; count++) {
      const [next, , terminated, truncated] = env.step(legal(env, observation, seed + count))
      over = terminated || truncated
      observation = next
    }
  }
  return count
}

function legal({ spec }: Env, observation: unknown, start: number): unknown {
  if (spec.name === 'mult8') return '123456789012345'
  if (spec.name === 'pack') return spec.parse('0,0,12,7 12,0,5,7')
  const board = observation as readonly number[]
  let cell = start % board.length
  while (board[cell] !== 0) cell = (cell + 1) % board.length
  return cell
}

/** Plays episodes with `solve`. Returns a function that replays them, and their reply count. */
async function recorded(env: Env): Promise<{ replayAll: () => void; replies: number }> {
  const solve = (messages: readonly Message[]) => ({
    content: env.spec.solve(messages.at(-1)?.content ?? ''),
  })
  const again: (() => { ok: boolean })[] = []
  let replies = 0
  for (let index = 0; index < EPISODES; index++) {
    const challenge = encodeId(digest('bench', index))
    if (env.spec.game === undefined) {
      const { messages } = await play(env, challenge, solve)
      again.push(() => replay(env, challenge, messages))
      replies += messages.length / 2
    } else {
      const played = await playGame(env, challenge, { champion: solve, contender: solve })
      const lists: PerSide<readonly Message[]> = {
        champion: played.champion.messages,
        contender: played.contender.messages,
      }
      again.push(() => replayGame(env, challenge, lists))
      replies += (lists.champion.length + lists.contender.length) / 2
    }
  }
  const replayAll = () => {
    for (const one of again) if (!one().ok) throw new Error('replay failed')
  }
  return { replayAll, replies }
}
