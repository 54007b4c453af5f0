import type { Sample } from '@affine/blocks'
import {
  look,
  type Match,
  type Miner,
  minerOf,
  NO_MATCH,
  outcome,
  PROTOCOL,
  ruleOf,
  type Winner,
} from '@affine/duel'
import { type Agent, challengeId, make, specHash } from '@affine/envs'
import type { Hash, Json } from '@affine/prng'
import { commitmentsOf, openChain } from '@affine/verifier'
import type { Journal } from './journal.ts'
import { minerClient } from './miner-client.ts'
import { serveMiner } from './reference-miner.ts'
import { playSample, type Role, type Sides } from './sampling.ts'

type Asking = { readonly model: string; readonly giveUpMs: number; readonly signal: AbortSignal }

/** Someone to play with, until it is disposed of. */
export type Opponent = Disposable & { readonly agent: (replyMs: number) => Agent }

/**
 * Opens a player over HTTP: `who` is a URL up to and including `/v1`, or a built-in player,
 * `perfect`, `random`, or a skill from 0 to 1, which is served from a server of its own with luck
 * from a seed. An endpoint that is out of reach for `giveUpMs` forfeits; an agent rejects when
 * `signal` aborts. A registered miner is asked where it committed to, and for its own model.
 * @throws RangeError for what is no player; Error when nothing answers at a URL.
 */
export async function openPlayer(who: Player, seed: string, asking: Asking): Promise<Opponent> {
  if (typeof who !== 'string') return openPlayer(who.chute, seed, { ...asking, model: who.model })
  const { model, giveUpMs, signal } = asking
  const skill = who === 'perfect' ? 1 : who === 'random' ? 0 : Number(who || Number.NaN)
  const server = skill >= 0 && skill <= 1 ? await serveMiner({ skill, seed }, 0) : undefined
  const url = server?.url ?? who
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new RangeError(
      `expected a player: a URL, perfect, random, or a skill from 0 to 1; got "${who}"`,
    )
  await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(10_000) }).catch(
    (error: Error) => {
      throw new Error(
        `nothing answers at ${url}: ${(error.cause as Error | undefined)?.message ?? error.message}`,
      )
    },
  )
  const client = minerClient({ chute: url, model }, Number.POSITIVE_INFINITY, Date.now)
  return {
    agent: (replyMs) => async (messages) => {
      const reply = await client(
        replyMs,
        AbortSignal.any([signal, AbortSignal.timeout(giveUpMs)]),
      )(messages)
      signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
      return reply
    },
    [Symbol.dispose]: () => server?.[Symbol.dispose](),
  }
}

/**
 * A duel that one person runs: one lane, nothing trimmed. Kept beside its samples, so that it can
 * be taken up again. The secret is 64 hex digits, drawn when the duel starts: nobody knows its
 * challenges before.
 */
export type SoloDuel = Readonly<
  Record<Role, Player> & { secret: Hash; envs: readonly string[]; ratioPpm: number }
>

/** What `openPlayer` takes: a text, or a registered miner. */
type Player = string | Miner
const nameOf = (player: Player): string => (typeof player === 'string' ? player : player.hotkey)
type Pair<Value> = readonly [champion: Value, contender: Value]

/**
 * Whom two uids name at a chain's head. @throws RangeError for what is no uid; Error for who cannot
 * be asked.
 */
export async function minersOf(
  network: string,
  netuid: number | undefined,
  uids: Pair<string>,
): Promise<Pair<Miner>> {
  await using opened = await openChain(network, { netuid, firstEpoch: 0 })
  const snapshot = await opened.chain.snapshot((await opened.chain.head()).number)
  const minerOfUid = (uid: string): Miner => {
    if (!/^\d{1,5}$/.test(uid))
      throw new RangeError(`with "--network" expected a uid, got ${JSON.stringify(uid)}`)
    const hotkey =
      snapshot.neurons.find((neuron) => neuron.uid === Number(uid))?.hotkey ?? 'not registered'
    const said = commitmentsOf(snapshot).get(hotkey)
    if (said?.kind !== 'miner') throw new Error(`uid ${uid} (${hotkey}) is no miner: see af queue`)
    if (/^https?:\/\//.test(said.chute) && URL.canParse(said.chute))
      return minerOf({ ...said, hotkey })
    throw new Error(
      `uid ${uid} has the chute "${said.chute}", and only those that are URLs can be asked`,
    )
  }
  return [minerOfUid(uids[0]), minerOfUid(uids[1])]
}

/** How a duel stands: by environment, and who has it, once that is certain. */
export type Standing = {
  readonly envs: Readonly<Record<string, Match>>
  readonly outcome: Winner | undefined
}

export interface DuelRun {
  readonly duel: SoloDuel
  readonly journal: Journal
  readonly players: Readonly<Record<Role, Pick<Opponent, 'agent'>>>
  /** Challenges under way at once in each environment. */
  readonly ahead: number
  readonly signal: AbortSignal
  readonly on: (standing: Standing) => void
}

/**
 * Plays until it is certain who is better: environments side by side, a look after every decisive
 * challenge in the order of the index, never of arrival. An environment without a verdict after
 * `PROTOCOL.cap` challenges is held. Rejects when `signal` aborts; what is in the journal then is
 * not played again.
 */
export async function runDuel({
  duel,
  journal,
  players,
  ahead,
  signal,
  on,
}: DuelRun): Promise<Standing> {
  const samples = journal.entries.slice(1) as unknown as Sample[]
  const envs = Object.fromEntries(duel.envs.map((env) => [env, NO_MATCH]))
  const standing = (): Standing => {
    const verdicts = Object.fromEntries(
      Object.entries(envs).map(([env, { verdict }]) => [env, verdict]),
    )
    return { envs, outcome: outcome(verdicts, PROTOCOL.margin) }
  }
  const playEnv = async (env: string): Promise<void> => {
    const { replyMs } = make(env).spec
    const sides: Sides = (role) => ({
      hotkey: nameOf(duel[role]),
      agent: players[role].agent(replyMs),
    })
    const outcomes = new Map(
      samples.filter((sample) => sample.env === env).map((s) => [s.index, s.verdict]),
    )
    let match = NO_MATCH
    let next = 0
    const worker = async (): Promise<void> => {
      while (
        match.verdict === 'continue' &&
        standing().outcome === undefined &&
        next < PROTOCOL.cap
      ) {
        const index = next++
        if (!outcomes.has(index)) {
          const challenge = {
            env,
            duel: NONE,
            index,
            challengeId: soloChallenge(env, duel.secret, index),
          }
          const sample = await playSample(challenge, sides, Date.now)
          signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
          await journal.append(sample as unknown as Json)
          outcomes.set(index, sample.verdict)
        }
        for (
          let seen = outcomes.get(match.played);
          seen !== undefined;
          seen = outcomes.get(match.played)
        ) {
          if (match.verdict !== 'continue') break
          match = look(match, seen, duel.ratioPpm, ruleOf(PROTOCOL))
        }
        if (match.played === PROTOCOL.cap && match.verdict === 'continue')
          match = { ...match, verdict: 'hold' }
        envs[env] = match
        on(standing())
      }
    }
    await Promise.all(Array.from({ length: ahead }, worker))
  }
  await Promise.all(duel.envs.map(playEnv))
  return standing()
}

const NONE = '0'.repeat(64)

/** The id of a challenge that belongs to no subnet: it follows from the secret and the index. */
export function soloChallenge(env: string, secret: Hash, index: number): string {
  const nobody = { genesis: NONE, netuid: 0, duel: NONE, validator: '', epoch: 0, beacon: NONE }
  return challengeId({ ...nobody, env, specHash: specHash(env), secret, index })
}
