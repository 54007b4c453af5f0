import type { Sample } from '@affine/blocks'
import {
  addChallenge,
  type ChallengeOutcome,
  type Match,
  NO_MATCH,
  PROTOCOL,
  ruleOf,
  type Winner,
  winnerOf,
} from '@affine/duel'
import { challengeId, make, registry, type Side, specHash } from '@affine/envs'
import type { Hash } from '@affine/prng'
import { type GameTime, withClock } from './game-clock.ts'
import { allSettled, type Notes, playOn } from './notes.ts'
import { playSample, type Sides } from './play-sample.ts'
import type { Opponent, Player } from './player.ts'

/**
 * A duel that one person runs: one lane, nothing trimmed. Kept beside its samples, so that it can
 * be taken up again. The secret is 64 hex digits, drawn when the duel starts: nobody knows its
 * challenges before. Protocol §10.
 */
export type SoloDuel = Readonly<
  Record<Side, Player> & { secret: Hash; envs: readonly string[]; ratioPpm: number }
>

/** The result of a duel so far: each environment, and the winner once it is certain. */
export type DuelStanding = {
  readonly envs: Readonly<Record<string, Match>>
  readonly outcome: Winner | undefined
}

export interface DuelRun {
  readonly duel: SoloDuel
  /** Begins with the duel; its samples follow. */
  readonly journal: Notes
  readonly players: Readonly<Record<Side, Pick<Opponent, 'agent'>>>
  /** Challenges under way at once in each environment. */
  readonly ahead: number
  readonly signal: AbortSignal
  readonly now: () => number
  /** By what the clocks of games run. */
  readonly time: GameTime
  /** Hears how it stands after every sample; what the journal had is not told. */
  readonly on: (standing: DuelStanding, sample: Sample) => void
}

/**
 * Plays until it is certain who is better: environments side by side, a look after every decisive
 * challenge in the order of the index, never of arrival. An environment without a verdict after
 * `PROTOCOL.cap` challenges is held. Rejects when `signal` aborts; what is in the journal then is
 * not played again. Protocol §10.
 */
export async function runDuel(run: DuelRun): Promise<DuelStanding> {
  const duels = run.duel.envs.map((env) => new EnvDuel(env, run))
  const playEnv = (duel: EnvDuel): Promise<void> =>
    playOn({
      ...run,
      next: () => (standingOf(duels).outcome === undefined ? duel.next() : undefined),
      add: (sample) => {
        duel.add(sample)
        run.on(standingOf(duels), sample)
      },
    })
  await allSettled(duels.map(playEnv))
  return standingOf(duels)
}

function standingOf(duels: readonly EnvDuel[]): DuelStanding {
  const envs = Object.fromEntries(duels.map(({ env, match }) => [env, match]))
  const verdicts = Object.fromEntries(duels.map(({ env, match }) => [env, match.verdict]))
  return { envs, outcome: winnerOf(verdicts, PROTOCOL.margin) }
}

/** One environment of a duel: what was played in it, and its match so far. */
class EnvDuel {
  readonly env: string
  match: Match = NO_MATCH
  readonly #run: DuelRun
  /** By the challenge's index: what has come in, and what the journal had. */
  readonly #played = new Map<number, ChallengeOutcome>()
  #next = 0

  constructor(env: string, run: DuelRun) {
    this.env = env
    this.#run = run
    const kept = run.journal.entries.slice(1) as unknown as readonly Sample[]
    for (const sample of kept.filter((each) => each.env === env)) this.add(sample)
  }

  /** The next challenge that was not played yet; undefined after the verdict. */
  next(): (() => Promise<Sample>) | undefined {
    while (this.#played.has(this.#next)) this.#next += 1
    if (this.match.verdict !== 'continue' || this.#next >= PROTOCOL.cap) return undefined
    const index = this.#next
    this.#next += 1
    return () => this.#play(index)
  }

  /** Adds to the match what has come in, in the order of the index, up to the first gap. */
  add({ index, verdict }: Sample): void {
    this.#played.set(index, verdict)
    const rule = { ratioPpm: this.#run.duel.ratioPpm, rule: ruleOf(PROTOCOL) }
    while (this.match.verdict === 'continue') {
      const challenge = this.#played.get(this.match.played)
      if (challenge === undefined) return
      this.match = addChallenge(this.match, challenge, rule)
      const isOver = this.match.played === PROTOCOL.cap && this.match.verdict === 'continue'
      if (isOver) this.match = { ...this.match, verdict: 'hold' }
    }
  }

  #play(index: number): Promise<Sample> {
    const { duel, players, now, time, signal } = this.#run
    const { replyMs, game } = make(this.env).spec
    const sides: Sides = (role) => {
      const agent = players[role].agent(replyMs)
      const hotkey = nameOf(duel[role])
      if (game === undefined) return { hotkey, agent }
      return { hotkey, agent: withClock(agent, { ...time, ms: game.clockMs, signal }) }
    }
    const challengeId = soloChallenge(this.env, duel.secret, index)
    return playSample({ env: this.env, duel: NONE, index, challengeId }, sides, now)
  }
}

/** The exact ids of the environments named; of all, if none are. */
export function environmentsNamed(
  names: readonly string[] = [...registry.keys()],
): readonly string[] {
  return [...new Set(names.map((name) => make(name).spec.id))]
}

function nameOf(player: Player): string {
  return typeof player === 'string' ? player : player.hotkey
}

const NONE = '0'.repeat(64)

/**
 * The id of a challenge that belongs to no subnet: it follows from the secret and the index.
 * Protocol §10.
 */
export function soloChallenge(env: string, secret: Hash, index: number): string {
  const nobody = { genesis: NONE, netuid: 0, duel: NONE, validator: '', epoch: 0, beacon: NONE }
  return challengeId({ ...nobody, env, specHash: specHash(env), secret, index })
}
