import type { BlockFault, ChallengePair, Episode } from '../../packages/blocks/src/index.ts'
import type { LanePlan } from './reading-subnet.ts'

/** A game by its winner, whose move was the last, and its loser; and the game after it. */
interface Played {
  readonly won: Episode
  readonly lost: Episode
  readonly next: { readonly won: Episode; readonly lost: Episode }
}
/** What else is recorded of it. */
interface Forged {
  readonly won?: Partial<Episode>
  readonly lost?: Partial<Episode>
}
export type Alter = NonNullable<LanePlan['alter']>

/** The first game is recorded as another one. */
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
/** The first reply is another one. */
const replying = (change: (reply: Message) => Partial<Message>, { messages }: Episode) => ({
  messages: messages.map((said, at) => (at === 1 ? { ...said, ...change(said) } : said)),
})
const said = ({ messages }: Episode) => ({ messages })
const called = (episode: Episode) => replying(() => ({ invocation: 'call-1' }), episode)
export const silent = { fault: 'no-reply' } as const
export const unbegun = { messages: [], reward: -1, ...silent }
/** The last prompt has no reply. */
export const cut = (
  { won, lost }: Played,
  faults: Partial<Record<'won' | 'lost', typeof silent>>,
) => ({
  won: { ...upTo(-1, won), reward: lost.reward, ...faults.won },
  lost: { reward: won.reward, ...faults.lost },
})

/** What games may be recorded as, and what is said of it. Protocol §3.1, §6.5. */
export const FORGERIES: Readonly<
  Record<string, readonly [BlockFault, (played: Played) => Forged]>
> = {
  'a win before the game is over': ['TOO_SHORT', ({ won }) => ({ won: upTo(-2, won) })],
  'a prompt after the win': [
    'TOO_LONG',
    ({ won, lost }) => ({ lost: more(lost, ...won.messages.slice(-2, -1)) }),
  ],
  'a second move in a turn': [
    'TOO_LONG',
    ({ won }) => ({ won: more(won, ...won.messages.slice(-2)) }),
  ],
  'the move that wins, in the name of the loser': [
    'TOO_SHORT',
    ({ won, lost }) => ({ won: upTo(-2, won), lost: more(lost, ...won.messages.slice(-2)) }),
  ],
  'another move than the loser made': [
    'PROMPT_DIFFERS',
    ({ lost }) => ({ lost: replying(() => ({ content: lost.messages[3]?.content ?? '' }), lost) }),
  ],
  'the moves of the two exchanged': [
    'PROMPT_DIFFERS',
    ({ won, lost }) => ({ won: said(lost), lost: said(won) }),
  ],
  'the boards of another challenge': [
    'PROMPT_DIFFERS',
    ({ next }) => ({ won: said(next.won), lost: said(next.lost) }),
  ],
  'a no-reply in the middle': [
    'TOO_LONG',
    ({ lost }) => ({ lost: { ...upTo(3, lost), ...silent } }),
  ],
  'a turn left out': ['TOO_SHORT', ({ lost }) => ({ lost: upTo(-2, lost) })],
  'an end without a fault': ['WRONG_FAULT', (played) => cut(played, {})],
  'an end by the fault of the other': ['WRONG_FAULT', (played) => cut(played, { lost: silent })],
  'a no-reply of one who replied': ['WRONG_FAULT', () => ({ lost: silent })],
  'a game begun by one alone': ['TOO_SHORT', () => ({ lost: unbegun })],
  'a reply of more than is recorded': [
    'NOT_NORMALISED',
    ({ won }) => ({ won: replying(() => ({ content: 'x'.repeat(641) }), won) }),
  ],
  'the rewards exchanged': ['WRONG_REWARD', () => ({ won: { reward: -1 }, lost: { reward: 1 } })],
  'one call shown for a move of each': [
    'REPEATED_INVOCATION',
    ({ won, lost }) => ({ won: called(won), lost: called(lost) }),
  ],
}
