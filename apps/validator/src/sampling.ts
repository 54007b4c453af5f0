import type { Episode, Sample } from '@affine/blocks'
import { type Agent, make, play } from '@affine/envs'

/** One challenge of a duel, and who is asked. */
export interface Challenge {
  readonly env: string
  readonly duel: string
  readonly index: number
  readonly challengeId: string
}

/** One side of a sample: whose episode it is, and who answers. */
export interface Side {
  readonly hotkey: string
  readonly agent: Agent
}

/** Puts one challenge to both miners, at the same time and apart from each other. */
export async function playSample(
  challenge: Challenge,
  sides: { readonly champion: Side; readonly contender: Side },
  now: () => number,
): Promise<Sample> {
  const episode = async ({ hotkey, agent }: Side): Promise<Episode> => {
    const started = now()
    const transcript = await play(make(challenge.env), challenge.challengeId, agent)
    return { miner: hotkey, ...transcript, ms: Math.max(0, now() - started) }
  }
  const [champion, contender] = await Promise.all([episode(sides.champion), episode(sides.contender)])
  const lead = contender.reward - champion.reward
  return { ...challenge, champion, contender, verdict: lead > 0 ? 'win' : lead < 0 ? 'loss' : 'tie' }
}
