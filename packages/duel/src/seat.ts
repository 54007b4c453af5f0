import type { Judgement } from './judgement.ts'
import { candidatesIn, endTurn, nextContenders } from './queue.ts'
import type { DuelSnapshot } from './snapshot.ts'
import { contentOf, type Duel, isFrozenOut, type Miner, type State } from './state.ts'
import type { Winner } from './winner.ts'

/** Who has the throne in the coming epoch, and who waits. */
export interface NextThrone {
  /** How the duel ended, if it did. */
  readonly outcome: Winner | undefined
  /** The duel, if it goes on. */
  readonly running: Duel | undefined
  readonly champion: Miner | undefined
  /** Who of the duel that ended has the throne. */
  readonly heir: Winner | undefined
  /** Has it the throne by the duel's verdicts? */
  readonly isDethroned: boolean
  /** The champion, if it took an empty throne from the queue. */
  readonly crowned: Miner | undefined
  readonly dueled: State['dueled']
  /** The queue, without who was crowned. */
  readonly waiting: readonly Miner[]
}

/** The winner, who stands, or the first of the queue has the throne. Protocol §8.11. */
export function fillThrone(
  state: State,
  judged: Judgement | undefined,
  snapshot: DuelSnapshot,
): NextThrone {
  const standing = new Set(candidatesIn(snapshot).map(contentOf))
  const ifStanding = (miner: Miner | undefined): Miner | undefined => {
    if (miner && standing.has(contentOf(miner))) return miner
    return undefined
  }
  const holder = ifStanding(state.champion)
  const rival = ifStanding(judged?.duel.contender)

  const verdict = judged?.report.outcome
  const outcome = judged && (verdict ?? leaverLoses({ holder, rival }))
  const running = outcome ? undefined : judged?.duel
  const dueled = outcome ? turnsAfter(state, judged.duel) : state.dueled
  const waiting = nextContenders({ ...state, dueled }, snapshot)
  const rest = { outcome, running, dueled }
  const champion = outcome === 'contender' ? rival : holder
  if (champion) {
    const isDethroned = verdict === 'contender'
    return { ...rest, champion, heir: outcome, isDethroned, crowned: undefined, waiting }
  }
  const [crowned, ...others] = waiting
  const taken = { champion: crowned, heir: undefined, isDethroned: false, crowned }
  return { ...rest, ...taken, waiting: others }
}

/** The turns when a duel has ended: one that froze is not held against its contender's content. */
function turnsAfter({ dueled, epoch }: State, duel: Duel): State['dueled'] {
  return endTurn(dueled, duel.contender, { epoch, isForgotten: isFrozenOut(duel) })
}

/** Who leaves loses, the contender first: with both gone the throne is empty. Protocol §8.11. */
function leaverLoses({ holder, rival }: DuelSides): Winner | undefined {
  if (!rival) return 'champion'
  if (!holder) return 'contender'
  return undefined
}

/** The two of a duel, absent if they do not stand. */
interface DuelSides {
  readonly holder: Miner | undefined
  readonly rival: Miner | undefined
}
