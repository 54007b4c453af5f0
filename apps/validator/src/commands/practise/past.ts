import type { Sample } from '@affine/blocks'
import { contentOf, type Miner, type Protocol, type Report } from '@affine/duel'
import type { Exercise } from '@affine/miners'
import type { Hash } from '@affine/prng'
import type { Recomputed, SamplePlace, Subnet } from '@affine/settlement'
import { Replay, type ReplayOptions } from '../replay.ts'
import { ROLES, type Role } from '../views/miner-lanes.ts'

/** A subnet's throne today, and challenges that its holder has played. */
export interface Throne {
  readonly champion: Miner
  /** What a contender has to beat. */
  readonly ratioPpm: number
  /** The rules of a duel that starts now. */
  readonly protocol: Protocol
  readonly exercises: readonly Exercise[]
}

/**
 * The throne of a subnet, with at most `most` past challenges of each environment, from lanes that
 * count: those whose ids come first, and ids are hashes. Nobody is asked but chain and buckets.
 * @throws Error when nobody holds it, or nothing is recorded of who does.
 */
export async function throneOf(
  subnet: Subnet,
  options: ReplayOptions,
  most: number,
): Promise<Throne> {
  const past = new PastChallenges(most)
  const replay = await Replay.begin(subnet, options, past.add.bind(past))
  for await (const settled of replay.epochs()) past.finish(settled)
  const { champion, ratio: ratioPpm } = replay.state
  if (champion === undefined) throw new Error('nobody holds the throne: there is no champion yet')
  const exercises = past.of(champion)
  const { protocol } = subnet.network
  if (exercises.length > 0) return { champion, ratioPpm, protocol, exercises }
  const found = `no challenge of the champion ${champion.hotkey} is recorded in these epochs`
  throw new Error(`${found}: take more of them with --last`)
}

/** What was earned in past challenges, by who played them with what. */
class PastChallenges {
  readonly #most: number
  readonly #lanes = new Map<string, Record<Role, Exercise>[]>()
  readonly #exercises = new Map<Hash, Exercise[]>()

  constructor(most: number) {
    this.#most = most
  }

  /** Takes note of a sample of the epoch under way: of what was said, nothing. */
  add({ env, challengeId, ...sides }: Sample, { validator }: SamplePlace): void {
    const lane = this.#lanes.get(validator) ?? []
    this.#lanes.set(validator, lane)
    const of = (role: Role) => ({ env, challengeId, champion: sides[role].reward })
    lane.push({ champion: of('champion'), contender: of('contender') })
  }

  /** Keeps what lanes have that count. Begins anew with the next epoch. */
  finish({ before: { duel }, report }: Recomputed): void {
    const lanes = [...this.#lanes].filter(([validator]) => doesCount(validator, report))
    this.#lanes.clear()
    if (duel === undefined) return
    for (const role of ROLES) {
      const content = contentOf(duel[role])
      const known = this.#exercises.get(content) ?? []
      const found = lanes.flatMap(([, exercises]) => exercises.map((sides) => sides[role]))
      this.#exercises.set(content, firstOf([...known, ...found], this.#most))
    }
  }

  /** What a miner earned with what it commits to. */
  of(miner: Miner): readonly Exercise[] {
    return this.#exercises.get(contentOf(miner)) ?? []
  }
}

/** Does the lane of a validator count in every environment? */
function doesCount(validator: string, { frozen, lanes }: Report): boolean {
  const lane = lanes[validator]
  return !frozen && lane !== undefined && lane.accepted && lane.setAside.length === 0
}

/** At most so many of each environment, those whose ids come first. */
function firstOf(exercises: readonly Exercise[], most: number): Exercise[] {
  const counts = new Map<string, number>()
  const ascending = [...exercises].sort((a, b) => (a.challengeId < b.challengeId ? -1 : 1))
  return ascending.filter(({ env }) => {
    const count = (counts.get(env) ?? 0) + 1
    counts.set(env, count)
    return count <= most
  })
}
