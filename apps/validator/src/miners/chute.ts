import type { Miner } from '@affine/duel'
import type { Setup } from '../service/setup.ts'
import { type ChutesKey, LOOK_UP_MS } from './chutes-key.ts'
import { Undelivered } from './exchange.ts'

export const UUID: RegExp = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** What it takes to find a chute. */
export interface Directory extends Pick<Setup, 'now' | 'on'> {
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
  if (name === miner.model && revision === miner.revision) {
    const label = String(slug ?? '')
    if (DNS_LABEL.test(label)) return `${directory.hostOf(label)}/v1/chat/completions`
  }
  const described = JSON.stringify({ name, revision, slug })
  const error = new Error(`is not asked: its chute has ${described}`)
  directory.on({ type: 'problem', what: `miner ${miner.hotkey}`, error })
  return null
}

/** What Chutes says of a chute: anything may be in it. */
interface Description {
  readonly name?: unknown
  readonly revision?: unknown
  readonly slug?: unknown
}

/** The description of a chute; an empty one where there is none. */
async function describeChute(
  chute: string,
  signal: AbortSignal,
  { key, api, now }: Directory,
): Promise<Description> {
  if (!UUID.test(chute)) return {}
  const query = { url: `${api}/chutes/${chute}`, replyMs: LOOK_UP_MS, signal, now }
  const { status, text } = await key.ask(query)
  if (status === 404) return {}
  if (status !== 200) throw new Undelivered(`status ${status}`)
  return Object(JSON.parse(text))
}
