import type { Env, Picture } from '@affine/envs'
import { bestActions, mistakeIn } from './explained.ts'

/** One turn of an episode: what was asked, what was replied, and what would have been best. */
export interface Turn {
  readonly prompt: string
  readonly observation: unknown
  /** The observation as lines of text; empty if its environment does not draw it. */
  readonly drawn: readonly string[]
  /** The same as a picture, with what the reply made of it; undefined without one. */
  readonly picture: Picture | undefined
  /** The best actions; that of the scripted player, where only it is known. */
  readonly best: readonly unknown[]
  /** Undefined if there is no reply. */
  readonly reply: string | undefined
  /** The reply as an action; null if it cannot be read. */
  readonly action: unknown
  /** Why the reply is a forfeit, if it is one. */
  readonly forfeit: 'unreadable' | 'illegal' | undefined
  /** What the reply gave away; undefined if nothing, or if it is not known. */
  readonly mistake: string | undefined
}

/** A reply as it was judged. */
interface JudgedReply {
  readonly reply: string
  readonly action: unknown
  readonly isLegal: boolean
}

/** A turn with its reply, if there is one. */
export function turnOf({ spec }: Env, observation: unknown, judged?: JudgedReply): Turn {
  const best = bestActions(spec, observation)
  const seen = {
    prompt: spec.prompt(observation),
    observation,
    drawn: spec.explain?.draw?.(observation) ?? [],
    picture: spec.explain?.picture?.(observation, judged?.action ?? undefined),
    best,
  }
  const none = { reply: undefined, action: undefined, forfeit: undefined, mistake: undefined }
  if (judged === undefined) return { ...seen, ...none }
  const { reply, action, isLegal } = judged
  if (action === null) return { ...seen, ...none, reply, action, forfeit: 'unreadable' }
  if (!isLegal) return { ...seen, ...none, reply, action, forfeit: 'illegal' }
  const mistake = mistakeIn(spec, { observation, action, best })
  return { ...seen, reply, action, forfeit: undefined, mistake }
}
