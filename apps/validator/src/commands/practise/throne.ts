import type { Miner, Protocol } from '@affine/duel'
import type { Exercise } from '@affine/miners'
import { PastChallenges } from '@affine/report'
import type { Subnet } from '@affine/settlement'
import { Replay, type ReplayOptions } from '../replay.ts'

/** A subnet's throne today, and challenges that its champion has played. */
export interface Throne {
  readonly champion: Miner
  /** The ratio that a contender has to beat. */
  readonly ratioPpm: number
  /** The rules of a duel that starts now, in the environments of one player. */
  readonly protocol: Protocol
  /** The environments of two players. */
  readonly games: readonly string[]
  readonly exercises: readonly Exercise[]
}

/**
 * The throne of a subnet, with at most `most` past challenges of each environment. It reads
 * only chain and buckets.
 * @throws Error when there is no champion, or no challenge of it is recorded.
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
  if (champion === undefined) throw new Error('the throne is empty: there is no champion yet')
  const { protocol } = subnet.network
  const all = Object.entries(protocol.envs)
  const envs = Object.fromEntries(all.filter(([, { players }]) => players === 1))
  const games = Object.keys(protocol.envs).filter((env) => envs[env] === undefined)
  const exercises = past
    .of(champion)
    .filter(({ env }) => envs[env] !== undefined)
    .map(({ reward, ...each }) => ({ ...each, champion: reward }))
  if (exercises.length > 0)
    return { champion, ratioPpm, protocol: { ...protocol, envs }, games, exercises }
  const found = `no challenge of the champion ${champion.hotkey} is recorded in these epochs`
  throw new Error(`${found}: take more with --last, unless it has had no duel yet`)
}
