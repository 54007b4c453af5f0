import type { Sample } from '@affine/blocks'
import { look, type Match, NO_MATCH, outcome, PROTOCOL, ruleOf } from '@affine/duel'
import { type Agent, challengeId, registry, specHash } from '@affine/envs'
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
export async function runDuel(run: DuelRun): Promise<Standing> {
  const { duel, journal, signal } = run
  const envs: Record<string, Match> = Object.fromEntries(duel.envs.map((env) => [env, NO_MATCH]))
  const samples = journal.entries.slice(1) as unknown as Sample[]
  const standing = (): Standing => {
    const verdicts = Object.fromEntries(Object.entries(envs).map(([env, { verdict }]) => [env, verdict]))
    return { envs, outcome: outcome(verdicts, PROTOCOL.margin) }
  }
  const playEnv = async (env: string): Promise<void> => {
    const outcomes = new Map(samples.filter((s) => s.env === env).map((s) => [s.index, s.verdict]))
    let next = 0
    const worker = async (): Promise<void> => {
      for (let index = next++; index < PROTOCOL.cap; index = next++) {
        if (!outcomes.has(index)) outcomes.set(index, await playOne(run, env, index))
        signal.throwIfAborted()
        advance(env, outcomes)
        if (envs[env]?.verdict !== 'continue' || standing().outcome !== undefined) return
      }
    }
    await Promise.all(Array.from({ length: run.ahead }, worker))
  }
  const advance = (env: string, outcomes: ReadonlyMap<number, Sample['verdict']>): void => {
    let match = envs[env] ?? NO_MATCH
    for (;;) {
      const verdict = outcomes.get(match.played)
      if (verdict === undefined || match.verdict !== 'continue') break
      match = look(match, verdict, duel.ratioPpm, ruleOf(PROTOCOL))
    }
    if (match.played === PROTOCOL.cap && match.verdict === 'continue') match = { ...match, verdict: 'hold' }
    envs[env] = match
    run.on(standing())
  }
  await Promise.all(duel.envs.map(playEnv))
  return standing()
}

async function playOne(
  { duel, journal, agents, signal }: DuelRun,
  env: string,
  index: number,
): Promise<Sample['verdict']> {
  const none = '0'.repeat(64)
  const parts = { genesis: none, netuid: 0, env, specHash: specHash(env), duel: none, validator: '', epoch: 0 }
  const id = challengeId({ ...parts, beacon: none, secret: duel.secret, index })
  const replyMs = registry.get(env)?.replyMs ?? 0
  const champion = { hotkey: duel.champion, agent: agents.champion(replyMs) }
  const contender = { hotkey: duel.contender, agent: agents.contender(replyMs) }
  const sample = await playSample({ env, duel: none, index, challengeId: id }, { champion, contender }, Date.now)
  signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
  await journal.append(sample as unknown as Json)
  return sample.verdict
}
