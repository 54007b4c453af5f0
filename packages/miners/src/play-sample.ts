import { challengeVerdict, type Sample } from '@affine/blocks'
import {
  type Agent,
  make,
  type PerSide,
  play,
  playGame,
  type Side,
  unbegunGame,
} from '@affine/envs'
import { NO_REPLY } from './miner-client.ts'

/** A challenge of a lane, before anyone has played it. */
export type LaneChallenge = Pick<Sample, 'env' | 'duel' | 'index' | 'challengeId'>
/** The miner of an episode, and the agent that answers for it. */
export type Sides = (side: Side) => { readonly hotkey: string; readonly agent: Agent }

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
type Episodes = Pick<Sample, Side>

/** Both at once. */
async function playApart(
  { env, challengeId }: LaneChallenge,
  players: Players,
  now: () => number,
): Promise<Episodes> {
  const episode = async (side: Side): Promise<Sample[Side]> => {
    const { hotkey, agent } = players[side]
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

/** A game that there was no time for. Protocol §3.1, §5.4. */
export function unbegunSample(challenge: LaneChallenge, hotkeys: PerSide<string>): Sample {
  const game = unbegunGame(make(challenge.env))
  const champion = { miner: hotkeys.champion, ...game.champion, ms: 0 }
  const contender = { miner: hotkeys.contender, ...game.contender, ms: 0 }
  return { ...challenge, champion, contender, verdict: 'tie' }
}

/** A sample as it is if some miners never reply. Protocol §5.4. */
export async function withoutReplies(sample: Sample, miners: readonly string[]): Promise<Sample> {
  const isSilent = (side: Side): boolean => miners.includes(sample[side].miner)
  const { spec } = make(sample.env)
  if (spec.game !== undefined) return gameWithout(sample, isSilent)
  const episode = async (side: Side): Promise<Sample[Side]> => {
    const { miner, ms } = sample[side]
    if (!isSilent(side)) return sample[side]
    return { miner, ms, ...(await play({ spec }, sample.challengeId, () => NO_REPLY)) }
  }
  const [champion, contender] = await Promise.all([episode('champion'), episode('contender')])
  const verdict = challengeVerdict({ champion, contender })
  return { ...sample, champion, contender, verdict }
}

/** A game up to the first prompt of a silent player. If that never replied it is as it was. */
async function gameWithout(sample: Sample, isSilent: (side: Side) => boolean): Promise<Sample> {
  const { champion, contender, ...challenge } = sample
  const silent = (['champion', 'contender'] as const).filter(isSilent)
  if (silent.length === 2)
    return unbegunSample(challenge, { champion: champion.miner, contender: contender.miner })
  if (!silent.some((side) => sample[side].messages.length > 1)) return sample
  const sides: Sides = (side) => {
    const [, first] = sample[side].messages
    const answer = isSilent(side) || first === undefined ? NO_REPLY : first
    return { hotkey: sample[side].miner, agent: () => answer }
  }
  return playSample(challenge, sides, () => 0)
}
