import { challengeVerdict, type Sample } from '@affine/blocks'
import { type Agent, make, type PerSide, play, playGame } from '@affine/envs'

/** A challenge of a lane, before anyone has played it. */
export type LaneChallenge = Pick<Sample, 'env' | 'duel' | 'index' | 'challengeId'>
export type Role = 'champion' | 'contender'
/** The miner of an episode, and the agent that answers for it. */
export type Sides = (role: Role) => { readonly hotkey: string; readonly agent: Agent }

/** Puts one challenge to both miners: apart from each other, or as a game. Protocol §3.1, §5.4. */
export async function playSample(
  challenge: LaneChallenge,
  sides: Sides,
  now: () => number,
): Promise<Sample> {
  const players = { champion: sides('champion'), contender: sides('contender') }
  const { spec } = make(challenge.env)
  const playBoth = spec.game === undefined ? playApart : playTogether
  const { champion, contender } = await playBoth(challenge, players, now)
  const verdict = challengeVerdict({ champion, contender })
  return { ...challenge, champion, contender, verdict }
}

type Players = PerSide<ReturnType<Sides>>
type Episodes = Pick<Sample, Role>

/** Both at once. */
async function playApart(
  { env, challengeId }: LaneChallenge,
  players: Players,
  now: () => number,
): Promise<Episodes> {
  const episode = async (role: Role): Promise<Sample[Role]> => {
    const { hotkey, agent } = players[role]
    const started = now()
    const transcript = await play(make(env), challengeId, agent)
    return { miner: hotkey, ...transcript, ms: Math.max(0, now() - started) }
  }
  const [champion, contender] = await Promise.all([episode('champion'), episode('contender')])
  return { champion, contender }
}

/** One against the other. `ms` is the time of the game. */
async function playTogether(
  { env, challengeId }: LaneChallenge,
  players: Players,
  now: () => number,
): Promise<Episodes> {
  const { champion, contender } = players
  const agents = { champion: champion.agent, contender: contender.agent }
  const started = now()
  const game = await playGame(make(env), challengeId, agents)
  const ms = Math.max(0, now() - started)
  return {
    champion: { miner: champion.hotkey, ...game.champion, ms },
    contender: { miner: contender.hotkey, ...game.contender, ms },
  }
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
