import type { Server } from 'node:http'
import type { Agent } from '@affine/envs'
import { listen } from './listen.ts'
import { minerClient } from './miner-client.ts'
import { minerServer } from './reference-miner.ts'

/** Who is asked, and how. */
export interface PlayerOptions {
  /** A URL up to and including `/v1`, or a built-in player: `perfect`, `random`, or a skill from 0 to 1. */
  readonly who: string
  /** The seed of a built-in player's luck. */
  readonly seed: string
  readonly model: string
  readonly concurrency: number
  /** How long an endpoint may be out of reach before a reply is forfeited. */
  readonly giveUpMs: number
  readonly signal: AbortSignal
}

/** Someone to play with over HTTP, until `close`. */
export interface Opened {
  readonly agent: (replyMs: number) => Agent
  readonly close: () => void
}

/**
 * Opens a player. A built-in one is served over HTTP like any other, from a server of its own.
 * @throws RangeError for what is no player; Error when nothing answers at a URL.
 */
export async function openPlayer(options: PlayerOptions): Promise<Opened> {
  const { who, seed, model, concurrency, giveUpMs, signal } = options
  const skill = who === 'perfect' ? 1 : who === 'random' ? 0 : Number(who || Number.NaN)
  let server: Server | undefined
  let url = who
  if (skill >= 0 && skill <= 1) {
    server = minerServer({ skill, seed })
    url = `${await listen(server, 0)}/v1`
  } else if (!/^https?:\/\//.test(who) || !URL.canParse(who)) {
    throw new RangeError(
      `expected a player: a URL, perfect, random, or a skill from 0 to 1; got ${JSON.stringify(who)}`,
    )
  }
  await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(10_000) }).catch((error: Error) => {
    throw new Error(`nothing answers at ${url}: ${(error.cause as Error | undefined)?.message ?? error.message}`)
  })
  const client = minerClient({ url, model }, concurrency, Date.now)
  return {
    agent: (replyMs) => async (messages) => {
      const reply = await client.agent(replyMs, AbortSignal.any([signal, AbortSignal.timeout(giveUpMs)]))(messages)
      signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
      return reply
    },
    close: () => server?.close().closeAllConnections(),
  }
}
