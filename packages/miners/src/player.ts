import type { Agent, Transcript } from '@affine/envs'
import pRetry, { AbortError } from 'p-retry'
import { type Caller, type Hear, type MinerAgent, retryPolicy } from './asking.ts'
import { statusText } from './completion.ts'
import { firstPrompt, servedModels, within } from './first-answer.ts'
import { type Endpoint, minerClient, queryOf, replyIn } from './miner-client.ts'
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

/** Someone to play with. */
export interface Opponent {
  /** How often a request had no usable reply, by what came instead. */
  readonly failures: ReadonlyMap<string, number>
  readonly agent: (replyMs: number) => MinerAgent
}

/** How many different failures are told apart. */
const MOST_TEXTS = 8

/**
 * Opens a player: `who` is a URL up to and including `/v1`, or a built-in player, `perfect`,
 * `random`, or a skill from 0 to 1, with luck from a seed. An endpoint that is out of reach for
 * `giveUpMs` forfeits; an agent rejects when `signal` aborts.
 * @throws RangeError for what is no player; NoAnswer when a URL gives no usable reply.
 */
export async function openPlayer(
  who: string,
  seed: string,
  asking: PlayerAsking,
): Promise<Opponent> {
  const skill = skillOf(who)
  if (skill === undefined) return openEndpoint(endpointOf(who), asking)
  const agent: Agent = async (messages) => ({
    content: playerReply(messages.at(-1)?.content ?? '', { skill, seed }),
    ms: 0,
  })
  return { failures: new Map(), agent: () => agent }
}

/** The skill of a built-in player, 0 to 1; undefined for what names none. */
function skillOf(who: string): number | undefined {
  if (who === 'perfect') return 1
  if (who === 'random') return 0
  const skill = Number(who)
  if (who !== '' && skill >= 0 && skill <= 1) return skill
  return undefined
}

function endpointOf(who: string): string {
  if (isWebUrl(who)) return who
  const players = 'an http:// or https:// URL, perfect, random, or a skill from 0 to 1'
  const advice = /^[\w.-]+:\d+(\/|$)/.test(who) ? ': put http:// before it' : ''
  throw new RangeError(`expected a player: ${players}; got "${who}"${advice}`)
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}

/** A player gave no usable reply to a first prompt: there is nothing to compare. */
export class NoAnswer extends Error {
  /** Of a program that ends by it. */
  readonly exitCode = 3
}

async function openEndpoint(chute: string, asking: PlayerAsking): Promise<Opponent> {
  const { model, giveUpMs, signal } = asking
  await expectAnswer({ chute, model }, asking)
  const failures = new Map<string, number>()
  const on: Hear = (event) => {
    if (event.type === 'problem' || event.outcome === 'reply') return
    const text = failures.has(event.text) || failures.size < MOST_TEXTS ? event.text : 'others'
    failures.set(text, (failures.get(text) ?? 0) + 1)
  }
  const all = { ...asking, on, concurrency: Number.POSITIVE_INFINITY }
  const client = minerClient({ chute, model }, all)
  return {
    failures,
    agent: (replyMs) => async (messages, until) => {
      const giveUp = within(giveUpMs + replyMs, until ?? signal) // out of reach, and then late
      const reply = await client(replyMs, giveUp)(messages, until && giveUp)
      signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
      return reply
    },
  }
}

/**
 * Asks once; an endpoint that is busy, again until `giveUpMs` are over. A reply has its own time.
 * @throws NoAnswer when no usable reply comes.
 */
async function expectAnswer(endpoint: Endpoint, asking: PlayerAsking): Promise<void> {
  const { exchange, giveUpMs, random, signal, now } = asking
  const { chute } = endpoint
  const { messages, replyMs } = firstPrompt(asking.env)
  const query = queryOf(endpoint, messages, { ...asking, replyMs })
  const giveUp = within(giveUpMs, signal)
  const started = now()
  let busy: string | undefined
  const ask = async (): Promise<void> => {
    const received = await exchange(query).catch((error: Error) => {
      throw new AbortError(error)
    })
    busy = statusText(received)
    replyIn(received, query.url)
    busy = undefined
  }
  try {
    await pRetry(ask, retryPolicy(giveUp, random))
  } catch (error) {
    signal.throwIfAborted()
    if (error === giveUp.reason) {
      if (busy === undefined) return // a reply came, after that time
      const seconds = Math.round((now() - started) / 1000)
      throw new NoAnswer(`${chute} gives no usable reply in ${seconds} s: ${busy}`)
    }
    const { message } = error as Error
    const models = await servedModels(chute, message, asking)
    throw new NoAnswer(`${chute} gives no usable reply: ${message}${models}`)
  }
}

type PlayerEpisode = Pick<Transcript, 'messages'>

/**
 * Whatever a player that never replies comes to says nothing about it.
 * @throws NoAnswer when the player of these episodes was asked and gave no usable reply in any;
 *   with what came instead in this run most often.
 */
export function expectReply(
  player: string,
  episodes: readonly PlayerEpisode[],
  { failures }: Pick<Opponent, 'failures'>,
): void {
  // In a game that the other player loses at once, a player is not asked.
  const asked = episodes.filter(({ messages }) => messages.length > 0)
  const hasReply = asked.some(({ messages }) => messages.length > 1)
  if (asked.length === 0 || hasReply) return
  const nothing = 'none of what was kept has one; to ask again, keep it in another place'
  const [[why] = [nothing]] = [...failures].sort(([, a], [, b]) => b - a)
  throw new NoAnswer(`${player} gives no usable reply: ${why}`)
}
