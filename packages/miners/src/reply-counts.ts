import { forfeitIn } from '@affine/blocks'
import { actionIn, type Env, make, replay, repliesIn, type Transcript } from '@affine/envs'

/** An episode of one player, with the most that can be earned in its challenge. */
type BestKnown = Transcript &
  Readonly<Record<'env' | 'challengeId', string>> & { readonly best: number }

/** What a reply that is no answer has besides one. */
const EXTRAS = {
  before: 'the words before it',
  after: 'the words after it',
  below: 'the lines below it',
} as const
type Extra = keyof typeof EXTRAS

/** What a player's replies to challenges of one environment are worth. */
export interface ReplyCounts {
  readonly challenges: number
  /** Requests; the replies to them, whatever they say; and those that are legal answers. */
  readonly asked: number
  readonly usable: number
  readonly legal: number
  /** Challenges in which all was earned that can be; of games, those that were won. */
  readonly right: number
  /** Forfeits in which an answer is there, and something else with it. */
  readonly near: readonly NearMiss[]
}

/** So many challenges would be `right`, and others at least `legal`, without this. */
type NearMiss = { readonly without: Extra } & Readonly<Record<'right' | 'legal', number>>

/**
 * Judges replies by the rules of their environment; of games, against the scripted opponent of
 * `strength`, 1 if it is left out. Near misses are for people: in a duel they are forfeits.
 */
export function judgeReplies(played: readonly BestKnown[], strength?: number): ReplyCounts {
  const counts = { asked: 0, usable: 0, legal: 0, right: 0 }
  const near = new Map<Extra, { right: number; legal: number }>()
  for (const each of played) {
    const forfeit = forfeitIn({ ...each, strength }, each)
    const usable = repliesIn(each.messages).length
    counts.asked += each.messages.length - usable
    counts.usable += usable
    counts.legal += legalReplies(each, forfeit)
    counts.right += Number(each.reward >= each.best)
    const miss = forfeit === 'unreadable' ? nearMissIn(each, strength) : undefined
    if (miss === undefined) continue
    const known = near.get(miss.without) ?? { right: 0, legal: 0 }
    known[miss.would] += 1
    near.set(miss.without, known)
  }
  const misses = [...near].map(([without, would]) => ({ without, ...would }))
  return { challenges: played.length, ...counts, near: misses }
}

/** How many of a transcript's replies are legal answers, by how it was forfeited. */
export function legalReplies(played: Transcript, forfeit: string | undefined): number {
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

/** What the last reply has besides a legal answer, and what it would be without that. */
function nearMissIn(played: BestKnown, strength?: number) {
  const { spec } = make(played.env, { strength })
  const parts = Object.entries(partsOf(played.messages.at(-1)?.content ?? ''))
  const misses = parts.flatMap(([without, texts]) => {
    const content = texts.find((text) => actionIn(spec, text) !== null)
    const would = content === undefined ? undefined : worthOf(content, { spec }, played)
    return would === undefined ? [] : [{ without: without as Extra, would }]
  })
  return misses[0]
}

/** What a text would be instead of the last reply; undefined if it is not legal there. */
function worthOf(
  content: string,
  env: Pick<Env, 'spec'>,
  played: BestKnown,
): 'right' | 'legal' | undefined {
  const messages = [...played.messages.slice(0, -1), { role: 'assistant', content } as const]
  const replayed = replay(env, played.challengeId, messages)
  if (!replayed.ok) return replayed.code === 'TOO_SHORT' ? 'legal' : undefined
  if (replayed.value.forfeit !== undefined) return undefined
  return replayed.value.reward >= played.best ? 'right' : 'legal'
}

/** The texts that may be an answer, by what stands beside them: the longest first. */
function partsOf(reply: string): Readonly<Record<Extra, readonly string[]>> {
  const [last = '', ...above] = reply
    .split('\n')
    .filter((line) => line.trim() !== '')
    .reverse()
  const gaps = [...last.matchAll(/[\s:=]+/g)]
  return {
    before: gaps.map(({ index, 0: gap }) => last.slice(index + gap.length)),
    after: gaps.map(({ index }) => last.slice(0, index)).reverse(),
    below: above,
  }
}

/** What replies are worth, as lines for people. */
export function replyCountsText(counts: ReplyCounts): readonly string[] {
  const { asked, usable, legal, challenges, right, near } = counts
  const misses = near.flatMap(({ without, ...would }) =>
    (['right', 'legal'] as const)
      .filter((what) => would[what] > 0)
      .map((what) => `${would[what]} would be ${what} without ${EXTRAS[without]}`),
  )
  const text = `${usable} of ${asked} replies usable, ${legal} legal`
  return [`${text}; ${right} of ${challenges} challenges right`, ...misses]
}
