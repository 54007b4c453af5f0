import type { Miner } from '@affine/duel'
import * as z from 'zod'
import type { Asking } from './asking.ts'
import { type ChutesKey, LOOK_UP_MS } from './chutes-key.ts'
import { Undelivered } from './query.ts'

export const UUID: RegExp = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** What it takes to find a chute. */
export interface Directory extends Pick<Asking, 'now' | 'random' | 'on'> {
  readonly key: ChutesKey
  readonly api: string
  /** The origin at which a chute answers. */
  readonly hostOf: (slug: string) => string
}

/**
 * Where a miner is asked; null when its chute is not the committed one. Rejects for whatever else
 * fails. Protocol §5.4.
 */
export async function locateChute(
  miner: Miner,
  signal: AbortSignal,
  directory: Directory,
): Promise<string | null> {
  const { name, revision, slug } = await describeChute(miner.chute, signal, directory)
  const isCommitted = name === miner.model && revision === miner.revision
  if (isCommitted && slug !== undefined && DNS_LABEL.test(slug))
    return `${directory.hostOf(slug)}/v1/chat/completions`
  const described = JSON.stringify({ name, revision, slug })
  const error = new Error(`is not asked: its chute has ${described}`)
  directory.on?.({ type: 'problem', what: `miner ${miner.hotkey}`, error })
  return null
}

/** A text that may have been committed to (at most 128 bytes); any other value counts as none. */
// By a pipe: zod measures whatever has a length, which throws for some objects.
const shortText = z.string().pipe(z.string().max(128)).optional().catch(undefined)
/** What Chutes says of a chute: the owner chooses what is in it. */
const description = z.object({ name: shortText, revision: shortText, slug: shortText }).catch({})

/** The description of a chute; empty if it has no description. */
async function describeChute(
  chute: string,
  signal: AbortSignal,
  { key, api, now }: Directory,
): Promise<z.infer<typeof description>> {
  if (!UUID.test(chute)) return {}
  const query = { url: `${api}/chutes/${chute}`, replyMs: LOOK_UP_MS, signal, now }
  const { status, text } = await key.ask(query)
  if (status === 404) return {}
  if (status !== 200) throw new Undelivered(`status ${status}`)
  return description.parse(JSON.parse(text))
}
