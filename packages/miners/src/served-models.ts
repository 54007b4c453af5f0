import * as z from 'zod'
import type { Caller, Query } from './query.ts'

const MOST_NAMED = 5
const list = z.object({ data: z.array(z.object({ id: z.string() })) })

/**
 * The models that an endpoint says it serves, as the end of a sentence that tells why it refused a
 * request; empty when that is not about a model, or the endpoint does not say.
 */
export async function servedModels(
  chute: string,
  why: string,
  { exchange, now, signal }: Pick<Caller, 'exchange' | 'now'> & Pick<Query, 'signal'>,
): Promise<string> {
  if (!/^status (400|404|422)\b/.test(why) || !/^https?:/.test(chute)) return ''
  const url = `${chute.replace(/\/$/, '')}/models`
  try {
    const { text } = await exchange({ url, replyMs: 5000, signal, now })
    const names = list
      .parse(JSON.parse(text))
      .data.map(({ id }) => JSON.stringify(id.slice(0, 128)))
    if (names.length === 0) return ''
    return `; it serves the models ${names.slice(0, MOST_NAMED).join(', ')}`
  } catch {
    return '' // it says nothing of models
  }
}
