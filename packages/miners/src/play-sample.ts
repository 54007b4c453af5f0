import { challengeVerdict, type Sample } from '@affine/blocks'
import { type Agent, make, play } from '@affine/envs'

/** A challenge of a lane, before anyone has played it. */
export type LaneChallenge = Pick<Sample, 'env' | 'duel' | 'index' | 'challengeId'>
export type Role = 'champion' | 'contender'
/** The miner of an episode, and the agent that answers for it. */
export type Sides = (role: Role) => { readonly hotkey: string; readonly agent: Agent }

/** Puts one challenge to both miners, at once and apart from each other. Protocol §5.4. */
export async function playSample(
  challenge: LaneChallenge,
  sides: Sides,
  now: () => number,
): Promise<Sample> {
  const episode = async (role: Role): Promise<Sample[Role]> => {
    const { hotkey, agent } = sides(role)
    const started = now()
    const transcript = await play(make(challenge.env), challenge.challengeId, agent)
    return { miner: hotkey, ...transcript, ms: Math.max(0, now() - started) }
  }
  const [champion, contender] = await Promise.all([episode('champion'), episode('contender')])
  const verdict = challengeVerdict({ champion, contender })
  return { ...challenge, champion, contender, verdict }
}

/** A sample as it is if some miners never reply. Protocol §5.4. */
export async function withoutReplies(sample: Sample, miners: readonly string[]): Promise<Sample> {
  const { env, challengeId } = sample
  const episode = async (role: Role): Promise<Sample[Role]> => {
    const { miner, ms } = sample[role]
    if (!miners.includes(miner)) return sample[role]
    return { miner, ms, ...(await play(make(env), challengeId, () => ({ fault: 'no-reply' }))) }
  }
  const [champion, contender] = await Promise.all([episode('champion'), episode('contender')])
  const verdict = challengeVerdict({ champion, contender })
  return { ...sample, champion, contender, verdict }
}
