import type { Miner } from '@affine/duel'
import type { Agent } from '@affine/envs'
import { minerClient } from './miner-client.ts'
import type { Caller, Query } from './query.ts'
import { playerReply } from './reference-miner.ts'

/** What `openPlayer` takes: a text, or a registered miner. */
export type Player = string | Miner

/** How a player is asked. */
export interface PlayerAsking extends Caller {
  /** What an endpoint calls the model. */
  readonly model: string
  readonly giveUpMs: number
  readonly signal: AbortSignal
}

/** Someone to play with. */
export interface Opponent {
  readonly agent: (replyMs: number) => Agent
}

const REACH_MS = 10_000

/**
 * Opens a player: `who` is a URL up to and including `/v1`, or a built-in player, `perfect`,
 * `random`, or a skill from 0 to 1, with luck from a seed. An endpoint that is out of reach for
 * `giveUpMs` forfeits; an agent rejects when `signal` aborts. A registered miner is asked where it
 * committed to, and for its own model.
 * @throws RangeError for what is no player; Error when nothing answers at a URL.
 */
export async function openPlayer(
  who: Player,
  seed: string,
  asking: PlayerAsking,
): Promise<Opponent> {
  if (typeof who !== 'string') return openEndpoint(who.chute, { ...asking, model: who.model })
  const skill = skillOf(who)
  if (skill === undefined) return openEndpoint(endpointOf(who), asking)
  const agent: Agent = async (messages) => ({
    content: playerReply(messages.at(-1)?.content ?? '', { skill, seed }),
    ms: 0,
  })
  return { agent: () => agent }
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
  const players = 'a URL, perfect, random, or a skill from 0 to 1'
  throw new RangeError(`expected a player: ${players}; got "${who}"`)
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}

async function openEndpoint(chute: string, asking: PlayerAsking): Promise<Opponent> {
  const { model, giveUpMs, signal, exchange, now } = asking
  await reach(chute, { exchange, now })
  const client = minerClient({ chute, model }, { ...asking, concurrency: Number.POSITIVE_INFINITY })
  return {
    agent: (replyMs) => async (messages) => {
      const giveUp = AbortSignal.any([signal, AbortSignal.timeout(giveUpMs)])
      const reply = await client(replyMs, giveUp)(messages)
      signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
      return reply
    },
  }
}

/** Resolves when something answers at a URL, whatever it says. */
async function reach(
  url: string,
  { exchange, now }: Pick<Caller, 'exchange' | 'now'>,
): Promise<void> {
  const signal = AbortSignal.timeout(REACH_MS)
  const query: Query = { method: 'HEAD', url, replyMs: REACH_MS, signal, now }
  await exchange(query).catch(({ message }: Error) => {
    throw new Error(`nothing answers at ${url}: ${message}`)
  })
}
