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
import { challengeId, make, registry, specHash } from '@affine/envs'
import type { Hash, Json } from '@affine/prng'
import { playSample, type Role, type Sides } from './play-sample.ts'
import type { Opponent, Player } from './player.ts'
import type { Notes } from './practice.ts'

/**
 * A duel that one person runs: one lane, nothing trimmed. Kept beside its samples, so that it can
 * be taken up again. The secret is 64 hex digits, drawn when the duel starts: nobody knows its
 * challenges before. Protocol §10.
 */
export type SoloDuel = Readonly<
  Record<Role, Player> & { secret: Hash; envs: readonly string[]; ratioPpm: number }
>

/** How a duel stands: by environment, and who has it, once that is certain. */
export type Standing = {
  readonly envs: Readonly<Record<string, Match>>
  readonly outcome: Winner | undefined
}

export interface DuelRun {
  readonly duel: SoloDuel
  readonly journal: Notes
  readonly players: Readonly<Record<Role, Pick<Opponent, 'agent'>>>
  /** Challenges under way at once in each environment. */
  readonly ahead: number
  readonly signal: AbortSignal
  readonly now: () => number
  readonly on: (standing: Standing) => void
}

/**
 * Plays until it is certain who is better: environments side by side, a look after every decisive
 * challenge in the order of the index, never of arrival. An environment without a verdict after
 * `PROTOCOL.cap` challenges is held. Rejects when `signal` aborts; what is in the journal then is
 * not played again. Protocol §10.
 */
export async function runDuel(run: DuelRun): Promise<Standing> {
  const courses = run.duel.envs.map((env) => new Course(env, run))
  const work = async (course: Course): Promise<void> => {
    while (course.isOpen && standingOf(courses).outcome === undefined) {
      await course.playNext()
      run.on(standingOf(courses))
    }
  }
  const workers = courses.flatMap((course) => Array.from({ length: run.ahead }, () => work(course)))
  await Promise.all(workers)
  return standingOf(courses)
}

function standingOf(courses: readonly Course[]): Standing {
  const envs = Object.fromEntries(courses.map(({ env, match }) => [env, match]))
  const verdicts = Object.fromEntries(courses.map(({ env, match }) => [env, match.verdict]))
  return { envs, outcome: winnerOf(verdicts, PROTOCOL.margin) }
}

/** One environment of a duel: what was played in it, and its match so far. */
class Course {
  readonly env: string
  match: Match = NO_MATCH
  readonly #run: DuelRun
  readonly #sides: Sides
  /** By the challenge's index: what has come in, and what the journal had. */
  readonly #played: Map<number, ChallengeOutcome>
  #next = 0

  constructor(env: string, run: DuelRun) {
    const { replyMs } = make(env).spec
    this.env = env
    this.#run = run
    this.#sides = (role) => ({
      hotkey: nameOf(run.duel[role]),
      agent: run.players[role].agent(replyMs),
    })
    const kept = run.journal.entries.slice(1) as unknown as Sample[]
    const own = kept.filter((sample) => sample.env === env)
    this.#played = new Map(own.map(({ index, verdict }) => [index, verdict]))
  }

  /** Is there more to play before its verdict? */
  get isOpen(): boolean {
    return this.match.verdict === 'continue' && this.#next < PROTOCOL.cap
  }

  /** Plays the next challenge, if the journal does not have it, and looks at what is played. */
  async playNext(): Promise<void> {
    const index = this.#next
    this.#next += 1
    if (!this.#played.has(index)) this.#played.set(index, await this.#play(index))
    this.#lookAtPlayed()
  }

  async #play(index: number): Promise<ChallengeOutcome> {
    const { duel, journal, signal, now } = this.#run
    const id = soloChallenge(this.env, duel.secret, index)
    const challenge = { env: this.env, duel: NONE, index, challengeId: id }
    const sample = await playSample(challenge, this.#sides, now)
    signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
    await journal.append(sample as unknown as Json)
    return sample.verdict
  }

  /** Adds to the match what has come in, in the order of the index, up to the first gap. */
  #lookAtPlayed(): void {
    const rule = { ratioPpm: this.#run.duel.ratioPpm, rule: ruleOf(PROTOCOL) }
    while (this.match.verdict === 'continue') {
      const challenge = this.#played.get(this.match.played)
      if (challenge === undefined) return
      this.match = addChallenge(this.match, challenge, rule)
      const isOver = this.match.played === PROTOCOL.cap && this.match.verdict === 'continue'
      if (isOver) this.match = { ...this.match, verdict: 'hold' }
    }
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
