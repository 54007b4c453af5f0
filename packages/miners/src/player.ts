import { type Agent, make, registry, type Transcript } from '@affine/envs'
import { addTimeout, type Caller, type CallFailure, type Hear, type MinerAgent } from './asking.ts'
import { type Client, minerClient } from './miner-client.ts'
import { playerReply } from './reference-miner.ts'

/** How a player is asked. */
export interface PlayerAsking extends Caller {
  /** What an endpoint calls the model. */
  readonly model: string
  /** The environment of the first question, which only tests whether an endpoint answers. */
  readonly env?: string | undefined
  readonly giveUpMs: number
  readonly signal: AbortSignal
}

/** How many requests had no usable reply for one reason and status. `text` is that of the first. */
export interface FailureCount extends Pick<CallFailure, 'reason' | 'status' | 'text'> {
  readonly count: number
}

/** Someone to play with. */
export interface Opponent {
  /** The requests without a usable reply, by reason and status. */
  readonly failures: ReadonlyMap<string, FailureCount>
  readonly agent: (replyMs: number) => MinerAgent
}

/**
 * Opens a player: `who` is a URL up to and including `/v1`, or a built-in player, `perfect`,
 * `random`, or a skill from 0 to 1, with luck from a seed.
 * @throws RangeError for what is no player; NoAnswer when a URL gives no usable reply.
 */
export async function openPlayer(
  who: string,
  seed: string,
  asking: PlayerAsking,
): Promise<Opponent> {
  const skill = parseSkill(who)
  if (skill === undefined) {
    const endpoint = { chute: parseEndpoint(who), model: asking.model }
    const unbounded = { ...asking, concurrency: Number.POSITIVE_INFINITY }
    return openMiner(endpoint.chute, (on) => minerClient(endpoint, { ...unbounded, on }), asking)
  }
  const agent: Agent = async (messages) => ({
    content: playerReply(messages.at(-1)?.content ?? '', { skill, seed }),
    ms: 0,
  })
  return { failures: new Map(), agent: () => agent }
}

/** The skill of a built-in player, 0 to 1; undefined for what names none. */
function parseSkill(who: string): number | undefined {
  if (who === 'perfect') return 1
  if (who === 'random') return 0
  const skill = Number(who)
  if (who.trim() !== '' && skill >= 0 && skill <= 1) return skill
  return undefined
}

function parseEndpoint(who: string): string {
  if (/^https?:\/\//.test(who) && URL.canParse(who)) {
    // Paths are added to it. `?` and `#` without anything behind them are not in a URL's parts.
    if (!/[?#]/.test(who)) return who
    throw new RangeError(`expected a player's URL up to and including /v1, without "?" or "#"`)
  }
  const players = 'an http:// or https:// URL, perfect, random, or a skill from 0 to 1'
  const advice = /^[\w.-]+:\d+(\/|$)/.test(who) ? ': put http:// before it' : ''
  throw new RangeError(`expected a player: ${players}; got "${who}"${advice}`)
}

/** Why a player gave no usable reply. */
export interface MissingReply extends Pick<CallFailure, 'reason' | 'status' | 'text'> {
  /** The models that its endpoint serves, if it refused a request and lists them. */
  readonly models?: readonly string[]
}

/** A player gave no usable reply to a first prompt: there is nothing to compare. */
export class NoAnswer extends Error {
  readonly why: MissingReply
  constructor(player: string, why: MissingReply) {
    super(`${player} gives no usable reply: ${unansweredText(why)}`)
    this.why = why
  }
}

/** Returns why a player gave no usable reply, as the end of a sentence. */
export function unansweredText({ text, models = [] }: Omit<MissingReply, 'reason'>): string {
  const names = models.map((name) => JSON.stringify(name)).join(', ')
  return names === '' ? text : `${text}; it serves the models ${names}`
}

/** Counts the requests of which `on` hears that they had no usable reply. */
export function countFailures(): Pick<Opponent, 'failures'> & { readonly on: Hear } {
  const failures = new Map<string, FailureCount>()
  const on: Hear = (event) => {
    if (event.type === 'problem' || event.outcome === 'reply') return
    const { reason, status, text } = event
    const known = failures.get(`${reason} ${status}`) ?? { reason, status, text, count: 0 }
    failures.set(`${reason} ${status}`, { ...known, count: known.count + 1 })
  }
  return { failures, on }
}

/**
 * Opens a player at `chute`, asked by a client whose events `on` hears. One that is out of reach for
 * `giveUpMs` forfeits, but in a game only by its clock. An agent rejects when `signal` aborts.
 * @throws NoAnswer when the player gives no usable reply.
 */
export async function openMiner(
  chute: string,
  clientOf: (on: Hear) => Client,
  asking: Omit<PlayerAsking, 'model'>,
): Promise<Opponent> {
  const { giveUpMs, signal } = asking
  const why = await whyNoAnswer(chute, clientOf, asking)
  if (why !== undefined) throw new NoAnswer(chute, why)
  const { failures, on } = countFailures()
  const client = clientOf(on)
  return {
    failures,
    agent: (replyMs) => async (messages, call) => {
      const alone = { end: addTimeout(giveUpMs + replyMs, signal), isGame: false }
      const reply = await client(replyMs, signal)(messages, call ?? alone)
      signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
      return reply
    },
  }
}

type ProbeOptions = Omit<PlayerAsking, 'model' | 'random' | 'giveUpMs'> & {
  readonly giveUpMs?: number
}

/** Failures of an endpoint that is there, and may be asked again. */
const BUSY: ReadonlySet<string> = new Set(['429', '5xx'])

/**
 * Resolves with why a player at `chute` gives no usable reply to a first prompt of an environment;
 * with undefined if it gives one. What it says is not judged. It is asked by agents that tell how
 * requests end: one that is busy, again until `giveUpMs` are over; one without a connection, once.
 * A reply has its own time. Rejects when `signal` aborts, and with what the agent rejects with.
 */
export async function whyNoAnswer(
  chute: string,
  clientOf: (on: Hear) => Client,
  asking: ProbeOptions,
): Promise<MissingReply | undefined> {
  const { now, signal, giveUpMs = 30_000, env = [...registry.keys()][0] ?? '' } = asking
  const game = make(env)
  game.reset()
  const { replyMs } = game.spec
  const started = now()
  const lost = new AbortController()
  let why: MissingReply = { reason: 'nothing', text: 'nothing came' }
  const client = clientOf((event) => {
    if (event.type === 'problem') {
      const { code: reason, status, message: text } = event.error
      why = { reason, status, text }
    } else if (event.outcome !== 'reply') {
      why = event
      const isBusy = BUSY.has(event.reason) && now() - started < giveUpMs
      if (event.outcome === 'platform' && !isBusy) lost.abort()
    }
  })
  const giveUp = addTimeout(giveUpMs + replyMs, AbortSignal.any([signal, lost.signal]))
  const answer = await client(replyMs, giveUp)([{ role: 'user', content: game.render() }])
  signal.throwIfAborted()
  if ('content' in answer) return undefined
  const { reason, status, text } = why
  return { reason, status, text, models: await listModels(chute, status, asking) }
}

const MAX_MODELS = 5

/** Statuses with which servers refuse the name of a model. */
const MODEL_REFUSALS: readonly (number | undefined)[] = [400, 404, 422]

/**
 * Returns the first models that an endpoint serves; none if the status with which it refused a
 * request is not about a model, or it does not list them.
 */
async function listModels(
  chute: string,
  status: number | undefined,
  { exchange, now, signal }: ProbeOptions,
): Promise<readonly string[]> {
  if (!MODEL_REFUSALS.includes(status) || !/^https?:/.test(chute)) return []
  const url = `${chute.replace(/\/$/, '')}/models`
  try {
    const { text } = await exchange({ url, replyMs: 5000, signal, now })
    const { data }: { readonly data: readonly { readonly id: string }[] } = JSON.parse(text)
    return data.slice(0, MAX_MODELS).map(({ id }) => id.slice(0, 128))
  } catch {
    return [] // it says nothing of models
  }
}

/**
 * Whatever a player that never replies comes to says nothing about it.
 * @throws NoAnswer when the player of these episodes was asked and gave no usable reply in any;
 *   with what came instead in this run most often.
 */
export function expectReply(
  player: string,
  episodes: readonly Pick<Transcript, 'messages'>[],
  { failures }: Pick<Opponent, 'failures'>,
): void {
  // In a game that the other player loses at once, a player is not asked.
  const asked = episodes.filter(({ messages }) => messages.length > 0)
  const hasReply = asked.some(({ messages }) => messages.length > 1)
  if (asked.length === 0 || hasReply) return
  const text = 'none of what was kept has one; to ask again, keep it in another place'
  const [why = { reason: 'nothing', text } as const] = [...failures.values()].sort(
    (a, b) => b.count - a.count,
  )
  throw new NoAnswer(player, why)
}
