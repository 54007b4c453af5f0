import { findEpisodeForfeit } from '@affine/blocks'
import { listReplies, type Transcript } from '@affine/envs'

/** An episode of one player. `best` is the reward of the scripted player; in a game, of a win. */
type ScoredEpisode = Transcript &
  Readonly<Record<'env' | 'challengeId', string>> & { readonly best: number }

export interface ReplyCounts {
  readonly challenges: number
  /** `asked` counts requests, `usable` replies to them, legal or not, and `legal` legal replies. */
  readonly asked: number
  readonly usable: number
  readonly legal: number
  /** Challenges with at least the reward `best`; of games, the games won. */
  readonly right: number
}

/** Counts replies by the rules of their environment; in games, against the scripted opponent. */
export function judgeReplies(played: readonly ScoredEpisode[]): ReplyCounts {
  const counts = { challenges: played.length, asked: 0, usable: 0, legal: 0, right: 0 }
  for (const each of played) {
    const usable = listReplies(each.messages).length
    counts.asked += each.messages.length - usable
    counts.usable += usable
    counts.legal += countLegal(each, findEpisodeForfeit(each, each))
    counts.right += Number(each.reward >= each.best)
  }
  return counts
}

/** Returns the number of legal answers in a transcript, whose forfeit, if any, is `forfeit`. */
export function countLegal(played: Transcript, forfeit: string | undefined): number {
  const isIllegal = forfeit === 'unreadable' || forfeit === 'illegal'
  return listReplies(played.messages).length - Number(isIllegal)
}

export function formatReplyCounts(counts: ReplyCounts): string {
  const { asked, usable, legal, challenges, right } = counts
  const text = `${usable} of ${asked} replies usable, ${legal} legal`
  return `${text}; ${right} of ${challenges} challenges right`
}
