import type { Sample } from '@affine/blocks'
import { look, type Match, NO_MATCH, outcome, PROTOCOL, ruleOf } from '@affine/duel'
import { type Agent, challengeId, make, specHash } from '@affine/envs'
import type { Hash, Json } from '@affine/prng'
import type { Journal } from './journal.ts'
import { playSample } from './sampling.ts'

/** A duel that one person runs: one lane, nothing trimmed. Kept beside its samples, so that it can be taken up again. */
export type SoloDuel = {
  readonly champion: string
  readonly contender: string
  readonly envs: readonly string[]
  readonly ratioPpm: number
  /** 64 hex digits, drawn when the duel starts: nobody knows its challenges before. */
  readonly secret: Hash
}

export interface DuelRun {
  readonly duel: SoloDuel
  readonly journal: Journal
  readonly agents: Readonly<Record<'champion' | 'contender', (replyMs: number) => Agent>>
  /** Challenges under way at once in each environment. */
  readonly ahead: number
  readonly signal: AbortSignal
  readonly on: (standing: Standing) => void
}

/** How a duel stands: by environment, and who has it, once that is certain. */
export interface Standing {
  readonly envs: Readonly<Record<string, Match>>
  readonly outcome?: 'contender' | 'champion' | undefined
}

/**
 * Plays until it is certain who is better: environments side by side, a look after every decisive challenge in the order
 * of the index, never of arrival. An environment without a verdict after `PROTOCOL.cap` challenges is held.
 * Rejects when `signal` aborts; what is in the journal then is not played again.
 */
export async function runDuel({ duel, journal, agents, ahead, signal, on }: DuelRun): Promise<Standing> {
  const samples = journal.entries.slice(1) as unknown as Sample[]
  const envs = Object.fromEntries(duel.envs.map((env) => [env, NO_MATCH]))
  const standing = (): Standing => {
    const verdicts = Object.fromEntries(Object.entries(envs).map(([env, { verdict }]) => [env, verdict]))
    return { envs, outcome: outcome(verdicts, PROTOCOL.margin) }
  }
  const playEnv = async (env: string): Promise<void> => {
    const { replyMs } = make(env).spec
    const sides = {
      champion: { hotkey: duel.champion, agent: agents.champion(replyMs) },
      contender: { hotkey: duel.contender, agent: agents.contender(replyMs) },
    }
    const outcomes = new Map(samples.filter((sample) => sample.env === env).map((s) => [s.index, s.verdict]))
    let match = NO_MATCH
    let next = 0
    const worker = async (): Promise<void> => {
      while (match.verdict === 'continue' && standing().outcome === undefined && next < PROTOCOL.cap) {
        const index = next++
        if (!outcomes.has(index)) {
          const challenge = { env, duel: NONE, index, challengeId: soloChallenge(env, duel.secret, index) }
          const sample = await playSample(challenge, sides, Date.now)
          signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
          await journal.append(sample as unknown as Json)
          outcomes.set(index, sample.verdict)
        }
        for (let seen = outcomes.get(match.played); seen !== undefined; seen = outcomes.get(match.played)) {
          const looked = look(match, seen, duel.ratioPpm, ruleOf(PROTOCOL))
          if (looked === match) break // after a verdict nothing changes
          match = looked
        }
        if (match.played === PROTOCOL.cap && match.verdict === 'continue') match = { ...match, verdict: 'hold' }
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
