import type { Result } from '@affine/prng'
import type { Asking } from '../asking.ts'
import { type ChutesKey, LOOK_UP_MS } from '../chutes-key.ts'
import { NoReply } from '../no-reply.ts'
import { Undelivered } from '../query.ts'
import {
  type Asked,
  type Deployment,
  type DeploymentFault,
  judgeSource,
  readDescription,
  refused,
} from './deployment.ts'
import { templatesOf } from './templates.ts'

export const UUID: RegExp = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What it takes to look at a deployment. */
export interface Directory extends Pick<Asking, 'now'> {
  readonly key: Pick<ChutesKey, 'ask'>
  readonly api: string
}

/**
 * Looks at what the platform publishes about a miner's deployment: may it be asked? Rejects when
 * the platform fails: without a connection, late, with a status of 429 or 5xx, with no JSON, or for
 * the validator's own key. No miner can bring that about: the platform itself answers here, and of
 * what it publishes a miner chooses the contents alone. Protocol §5.4.
 * @throws RangeError when this release does not have the list of templates.
 */
export async function lookAt(
  miner: Asked,
  signal: AbortSignal,
  directory: Directory,
): Promise<Result<Deployment, DeploymentFault>> {
  const { chute } = miner
  const templates = templatesOf(miner.templates)
  if (!UUID.test(chute))
    return refused('NO_ID', 'the committed chute is no id of a deployment, a UUID')
  const ask = (path: string): ReturnType<typeof published> => published(path, signal, directory)
  const description = await ask(`/chutes/${chute}`)
  if (!description.ok) return refused(description.code, `its description: ${description.detail}`)
  const said = readDescription(JSON.parse(description.value), miner, templates)
  if (!said.ok) return said
  const source = await ask(`/chutes/code/${chute}`)
  if (!source.ok) return refused(source.code, `its source: ${source.detail}`)
  return judgeSource(source.value, { committed: miner, said: said.value }, templates)
}

/** What a path has. It is refused if it is not shown, or too large. */
async function published(
  path: string,
  signal: AbortSignal,
  { key, api, now }: Directory,
): Promise<Result<string, 'NOT_SHOWN' | 'TOO_LARGE'>> {
  const query = { url: `${api}${path}`, replyMs: LOOK_UP_MS, signal, now }
  try {
    const { status, text } = await key.ask(query)
    if (status === 200) return { ok: true, value: text }
    if (status === 429 || status >= 500) throw new Undelivered(`status ${status}`)
    const detail = `status ${status}: is there such a chute, and may everybody see it?`
    return { ok: false, code: 'NOT_SHOWN', detail }
  } catch (error) {
    const isLarge = error instanceof NoReply && error.reason === 'too-large'
    if (!isLarge) throw error
    return { ok: false, code: 'TOO_LARGE', detail: error.message }
  }
}
