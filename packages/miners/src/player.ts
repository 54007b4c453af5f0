import { type Agent, make, registry, type Transcript } from '@affine/envs'
import {
  addTimeout,
  type Caller,
  type CallFailure,
  type MinerAgent,
  type MinerListener,
} from './asking.ts'
import { type Client, minerClient } from './miner-client.ts'
import { playerReply } from './reference-miner.ts'

export interface PlayerAsking extends Caller {
  /** Name of the model in requests to an endpoint. */
  readonly model: string
  /** Environment of the prompt that tests whether an endpoint answers. Default: the first. */
  readonly env?: string | undefined
  /** Milliseconds beyond the time limit of a reply after which an unreachable endpoint forfeits. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The reason for which a player gave no usable reply. */
export type MissingReply = Pick<CallFailure, 'reason' | 'status' | 'text'>

/** The count of requests that failed for one reason and status. `text` is of the first failure. */
export interface FailureCount extends MissingReply {
  readonly count: number
}

export interface Opponent {
  /** Requests without a usable reply, by reason and status. */
  readonly failures: ReadonlyMap<string, FailureCount>
  readonly agent: (replyMs: number) => MinerAgent
}

/**
 * Opens a player. `player` is a URL up to and including `/v1`, or a built-in player: `perfect`,
 * `random`, or a skill from 0 to 1 with random numbers from `seed`.
 * @throws RangeError for any other text; NoAnswer if a URL gives no usable reply.
 */
export async function openPlayer(
  player: string,
  seed: string,
  asking: PlayerAsking,
): Promise<Opponent> {
  const skill = parseSkill(player)
  if (skill === undefined) {
    const endpoint = { chute: parseEndpoint(player), model: asking.model }
    const unbounded = { ...asking, concurrency: Number.POSITIVE_INFINITY }
    return openMiner(endpoint.chute, (on) => minerClient(endpoint, { ...unbounded, on }), asking)
  }
  const agent: Agent = async (messages) => ({
    content: playerReply(messages.at(-1)?.content ?? '', { skill, seed }),
    ms: 0,
  })
  return { failures: new Map(), agent: () => agent }
}

/** Returns the skill of a built-in player, 0 to 1, or undefined for any other text. */
function parseSkill(player: string): number | undefined {
  if (player === 'perfect') return 1
  if (player === 'random') return 0
  const skill = Number(player)
  if (player.trim() !== '' && skill >= 0 && skill <= 1) return skill
  return undefined
}

function parseEndpoint(player: string): string {
  if (/^https?:\/\//.test(player) && URL.canParse(player)) {
    // Paths are appended to the URL. The parts of a parsed URL do not show a `?` or `#` at its end.
    if (!/[?#]/.test(player)) return player
    throw new RangeError(`expected a player's URL up to and including /v1, without "?" or "#"`)
  }
  const players = 'an http:// or https:// URL, perfect, random, or a skill from 0 to 1'
  throw new RangeError(`expected a player: ${players}; got "${player}"`)
}

/** The error of a player that gave no usable reply to the first prompt, or in all its episodes. */
export class NoAnswer extends Error {
  readonly why: MissingReply
  constructor(player: string, why: MissingReply) {
    super(`${player} gives no usable reply: ${why.text}`)
    this.why = why
  }
}

export function countFailures(): Pick<Opponent, 'failures'> & { readonly on: MinerListener } {
  const failures = new Map<string, FailureCount>()
  const on: MinerListener = (event) => {
    if (event.type === 'problem' || event.outcome === 'reply') return
    const { reason, status, text } = event
    const known = failures.get(`${reason} ${status}`) ?? { reason, status, text, count: 0 }
    failures.set(`${reason} ${status}`, { ...known, count: known.count + 1 })
  }
  return { failures, on }
}

/**
 * Opens a player at `chute`, which the client of `clientOf` calls. A player that is unreachable for
 * `timeoutMs` longer than a reply may take forfeits a challenge; in a game, only the player's clock
 * limits the time. The agent
 * rejects if `signal` aborts.
 * @throws NoAnswer if the player gives no usable reply.
 */
export async function openMiner(
  chute: string,
  clientOf: (on: MinerListener) => Client,
  asking: Omit<PlayerAsking, 'model'>,
): Promise<Opponent> {
  const { timeoutMs, signal } = asking
  const why = await probeMiner(clientOf, asking)
  if (why !== undefined) throw new NoAnswer(chute, why)
  const { failures, on } = countFailures()
  const client = clientOf(on)
  return {
    failures,
    agent: (replyMs) => async (messages, call) => {
      const terms = call ?? { end: addTimeout(timeoutMs + replyMs, signal), isGame: false }
      const reply = await client(replyMs, signal)(messages, terms)
      signal.throwIfAborted() // an interrupted call looks like a missing reply
      return reply
    },
  }
}

/** Failures of a reachable endpoint, whose request is repeated. */
const BUSY: ReadonlySet<string> = new Set(['429', '5xx'])

/**
 * Sends one prompt of an environment to a miner. Resolves with the reason for which the reply is
 * unusable, or undefined if it is usable; its contents are not judged. Requests to a busy endpoint
 * are repeated for `timeoutMs` milliseconds; an endpoint without a connection gets one request. A
 * reply has the time limit of its environment in addition. Rejects if `signal` aborts, and with any
 * error of the agent.
 */
export async function probeMiner(
  clientOf: (on: MinerListener) => Client,
  asking: Pick<PlayerAsking, 'now' | 'env' | 'timeoutMs' | 'signal'>,
): Promise<MissingReply | undefined> {
  const { now, signal, timeoutMs, env = [...registry.keys()][0] ?? '' } = asking
  const game = make(env)
  game.reset()
  const { replyMs } = game.spec
  const started = now()
  const lost = new AbortController()
  let why: MissingReply = { reason: 'nothing', text: 'there was no response' }
  const client = clientOf((event) => {
    if (event.type === 'problem') {
      const { code: reason, status, message: text } = event.error
      why = { reason, status, text }
    } else if (event.outcome !== 'reply') {
      why = event
      const isBusy = BUSY.has(event.reason) && now() - started < timeoutMs
      if (event.outcome === 'platform' && !isBusy) lost.abort()
    }
  })
  const end = addTimeout(timeoutMs + replyMs, AbortSignal.any([signal, lost.signal]))
  const answer = await client(replyMs, end)([{ role: 'user', content: game.render() }])
  signal.throwIfAborted()
  if ('content' in answer) return undefined
  const { reason, status, text } = why
  return { reason, status, text }
}

/**
 * Checks that a player replied in at least one of its episodes.
 * @throws NoAnswer if the player was asked and gave no usable reply, with the most frequent failure
 *   of this run.
 */
export function expectReply(
  player: string,
  episodes: readonly Pick<Transcript, 'messages'>[],
  { failures }: Pick<Opponent, 'failures'>,
): void {
  // A player gets no prompt if its opponent forfeits the first move.
  const asked = episodes.filter(({ messages }) => messages.length > 0)
  const hasReply = asked.some(({ messages }) => messages.length > 1)
  if (asked.length === 0 || hasReply) return
  const text =
    'no stored sample has a usable reply; to request replies again, use another folder or file'
  const [why = { reason: 'nothing', text } as const] = [...failures.values()].sort(
    (a, b) => b.count - a.count,
  )
  throw new NoAnswer(player, why)
}
