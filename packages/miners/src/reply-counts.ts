import { forfeitIn } from '@affine/blocks'
import { repliesIn, type Transcript } from '@affine/envs'

/** An episode of one player, with the most that can be earned in its challenge. */
type ScoredEpisode = Transcript &
  Readonly<Record<'env' | 'challengeId', string>> & { readonly best: number }

/** What a player's replies to challenges of one environment are worth. */
export interface ReplyCounts {
  readonly challenges: number
  /** Requests; the replies to them, whatever they say; and those that are legal answers. */
  readonly asked: number
  readonly usable: number
  readonly legal: number
  /** Challenges in which all was earned that can be; of games, those that were won. */
  readonly right: number
}

/**
 * Judges replies by the rules of their environment; of games, against the scripted opponent of
 * `strength`, 1 if it is left out.
 */
export function judgeReplies(played: readonly ScoredEpisode[], strength?: number): ReplyCounts {
  const counts = { challenges: played.length, asked: 0, usable: 0, legal: 0, right: 0 }
  for (const each of played) {
    const usable = repliesIn(each.messages).length
    counts.asked += each.messages.length - usable
    counts.usable += usable
    counts.legal += countLegalReplies(each, forfeitIn({ ...each, strength }, each))
    counts.right += Number(each.reward >= each.best)
  }
  return counts
}

/** How many of a transcript's replies are legal answers, by how it was forfeited. */
export function countLegalReplies(played: Transcript, forfeit: string | undefined): number {
  const isIllegal = forfeit === 'unreadable' || forfeit === 'illegal'
  return repliesIn(played.messages).length - Number(isIllegal)
}

/** An environment is left after so many challenges in which nobody gave a legal answer. */
export const HOPELESS = 20

/** How many challenges of an environment were played, until one had a legal answer. */
export class Hope {
  #hopeless = 0
  #hasLegal = false

  /** Adds a challenge; whether it has a legal answer is asked until one has. */
  add(hasLegal: () => boolean): void {
    this.#hasLegal ||= hasLegal()
    if (!this.#hasLegal) this.#hopeless += 1
  }

  get isGone(): boolean {
    return !this.#hasLegal && this.#hopeless >= HOPELESS
  }
}

/** What replies are worth, for people. */
export function replyCountsText(counts: ReplyCounts): string {
  const { asked, usable, legal, challenges, right } = counts
  const text = `${usable} of ${asked} replies usable, ${legal} legal`
  return `${text}; ${right} of ${challenges} challenges right`
}
