import type { BlockFault, ChallengePair, Episode, Sample } from '../../packages/blocks/src/index.ts'
import type { LanePlan } from './reading-subnet.ts'

/** Episodes of the winner and the loser of a game and of the next game. The winner moved last. */
interface Played {
  readonly won: Episode
  readonly lost: Episode
  readonly next: { readonly won: Episode; readonly lost: Episode }
}
/** Fields that a forgery changes in the winner's and in the loser's episode. */
interface Forged {
  readonly won?: Partial<Episode>
  readonly lost?: Partial<Episode>
}
export type Alter = NonNullable<LanePlan['alter']>

/** Returns a function that changes a lane's first game. */
export const forge =
  (change: (played: Played) => Forged): Alter =>
  ([game, next, ...others]) => {
    if (!game || !next || 'miner' in game || 'miner' in next) throw new Error('two games expected')
    const isOfChampion = game.champion.reward > game.contender.reward
    const sidesOf = ({ champion, contender }: ChallengePair) =>
      isOfChampion ? { won: champion, lost: contender } : { won: contender, lost: champion }
    const { won, lost } = sidesOf(game)
    const forged = change({ won, lost, next: sidesOf(next) })
    const [winner, loser] = [
      { ...won, ...forged.won },
      { ...lost, ...forged.lost },
    ]
    const sides = isOfChampion
      ? { champion: winner, contender: loser }
      : { champion: loser, contender: winner }
    return [{ ...game, ...sides }, next, ...others]
  }

type Message = Episode['messages'][number]
const upTo = (end: number, { messages }: Episode) => ({ messages: messages.slice(0, end) })
const more = ({ messages }: Episode, ...added: readonly Message[]) => ({
  messages: [...messages, ...added],
})
const messagesOf = ({ messages }: Episode) => ({ messages })
/** Returns the messages of an episode with a fixed invocation for the first reply. */
const withInvocation = ({ messages }: Episode) => ({
  messages: messages.map((message, at) =>
    at === 1 ? { ...message, invocation: 'call-1' } : message,
  ),
})
export const silent = { fault: 'no-reply' } as const
const unbegun = { messages: [], reward: -1, ...silent }
/** Returns a forged game without the winning reply, with exchanged rewards and these faults. */
export const cut = (
  { won, lost }: Played,
  faults: Partial<Record<'won' | 'lost', typeof silent>>,
) => ({
  won: { ...upTo(-1, won), reward: lost.reward, ...faults.won },
  lost: { reward: won.reward, ...faults.lost },
})

/**
 * Forged games of each kind, with the code of the flaw. Protocol §3.1, §6.5. All forgeries are in
 * vectors/envs/games.json and in packages/blocks/test.
 */
export const GAMES: Readonly<Record<string, readonly [BlockFault, (played: Played) => Forged]>> = {
  'a win too early': ['TOO_SHORT', ({ won }) => ({ won: upTo(-2, won) })],
  'a prompt after the win': [
    'TOO_LONG',
    ({ won, lost }) => ({ lost: more(lost, ...won.messages.slice(-2, -1)) }),
  ],
  'the winning move exchanged': [
    'TOO_SHORT',
    ({ won, lost }) => ({ won: upTo(-2, won), lost: more(lost, ...won.messages.slice(-2)) }),
  ],
  'all moves exchanged': [
    'PROMPT_DIFFERS',
    ({ won, lost }) => ({ won: messagesOf(lost), lost: messagesOf(won) }),
  ],
  'boards of another': [
    'PROMPT_DIFFERS',
    ({ next }) => ({ won: messagesOf(next.won), lost: messagesOf(next.lost) }),
  ],
  'an end without a fault': ['WRONG_FAULT', (played) => cut(played, {})],
  'a fault of the other': ['WRONG_FAULT', (played) => cut(played, { lost: silent })],
  'a no-reply despite replies': ['WRONG_FAULT', () => ({ lost: silent })],
  'a game of one': ['TOO_SHORT', () => ({ lost: unbegun })],
  'one call, both sides': [
    'REPEATED_INVOCATION',
    ({ won, lost }) => ({ won: withInvocation(won), lost: withInvocation(lost) }),
  ],
}

type Change = (episode: Episode) => object
/**
 * Returns a change of one sample of the first challenge: of the champion for place 0, of the
 * contender for place 1.
 */
const at = (place: number, change: Change) => (samples: readonly Sample[]) => {
  const first = samples.findIndex((sample) => 'miner' in sample)
  return samples.map((sample, i) =>
    i === first + place && 'miner' in sample ? { ...sample, ...change(sample) } : sample,
  )
}
const byChampion = (change: Change) => at(0, change)
export const byContender = (change: Change) => at(1, change)
const withPrompt = (content: string) => (episode: Episode) => ({
  messages: [{ role: 'user', content }, ...episode.messages.slice(1)],
})
const ofOneCall = (samples: readonly Sample[]) =>
  byChampion(withInvocation)(byContender(withInvocation)(samples))
/** Forged lanes of challenges for one player, with the code of the flaw. Protocol §6.5. */
export const TRANSCRIPTS: Readonly<Record<string, readonly [BlockFault, LanePlan]>> = {
  'a reward not earned': ['WRONG_REWARD', { alter: byContender(() => ({ reward: 1 })) }],
  'another question': ['PROMPT_DIFFERS', { alter: byContender(withPrompt('Compute 1 * 1.')) }],
  'a forfeit that was none': ['WRONG_FAULT', { alter: byChampion(() => ({ fault: 'no-reply' })) }],
  'one call, twice': ['REPEATED_INVOCATION', { alter: ofOneCall }],
  'a sample left out': ['MISSING_INDEX', { alter: (samples) => samples.slice(1) }],
  'its own challenges': [
    'WRONG_CHALLENGE',
    { secret: '0f'.repeat(32), header: { secret: '5e'.repeat(32) } },
  ],
}
