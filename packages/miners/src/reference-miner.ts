import { registry } from '@affine/envs'
import { digest, pcg64 } from '@affine/prng'

/**
 * A player for trying things out. Its skill is the share of replies, 0 to 1, that a perfect player
 * would have given; the others are drawn at random. Two players with one seed and one skill answer
 * alike, always.
 */
export type ReferencePlayer = { readonly skill: number; readonly seed: string }

/** A reply, and what it was to: `env` is undefined where the prompt is of none. */
export interface Answered {
  readonly reply: string
  readonly env: string | undefined
  /** Would a perfect player have given it? */
  readonly isPerfect: boolean
}

/** What the player replies to a prompt: a function of the two alone. */
export function playerReply(prompt: string, player: ReferencePlayer): string {
  return replyTo(prompt, player).reply
}

/** The same, with what it was a reply to. */
export function replyTo(prompt: string, { skill, seed }: ReferencePlayer): Answered {
  const random = pcg64(BigInt(`0x${digest('player', seed, prompt).slice(0, 32)}`))
  for (const spec of registry.values()) {
    try {
      const perfect = spec.solve(prompt)
      const isGood = random.random() < skill
      const reply = isGood ? perfect : spec.guess(prompt, random)
      return { reply, env: spec.id, isPerfect: reply === perfect }
    } catch {} // another environment's prompt
  }
  return { reply: 'I do not know this game.', env: undefined, isPerfect: false }
}

/** What the reference miner's model is called. */
export const MODEL = 'reference'

/** A reply to a prompt, the `index`-th of a server, from 1. */
export interface Served {
  readonly index: number
  readonly model: string
  readonly prompt: string
  readonly reply: string
}

/** A chat completion as OpenAI's servers give it. */
export function completionOf(served: Served): object {
  const message = { role: 'assistant', content: served.reply }
  return {
    ...headOf(served, 'chat.completion'),
    choices: [{ index: 0, finish_reason: 'stop', message, logprobs: null }],
    usage: usageOf(served),
  }
}

/** The same as a stream of events, line by line; its usage, if wanted, comes last. */
export function eventsOf(served: Served, wantsUsage: boolean): string {
  const head = headOf(served, 'chat.completion.chunk')
  const event = (fields: object): string => `data: ${JSON.stringify({ ...head, ...fields })}\n\n`
  const choice = (delta: object, finish: string | null = null): string =>
    event({ choices: [{ index: 0, delta, finish_reason: finish }] })
  const pieces = served.reply.split(/(?<=\n)/).map((content) => choice({ content }))
  const first = choice({ role: 'assistant', content: '' })
  const usage = wantsUsage ? event({ choices: [], usage: usageOf(served) }) : ''
  return [first, ...pieces, choice({}, 'stop'), usage, 'data: [DONE]\n\n'].join('')
}

/** Its tokens are words, for want of a tokenizer. */
function usageOf({ prompt, reply }: Served): object {
  const [asked, said] = [wordsIn(prompt), wordsIn(reply)]
  return { prompt_tokens: asked, completion_tokens: said, total_tokens: asked + said }
}

function headOf({ index, model }: Pick<Served, 'index' | 'model'>, object: string): object {
  return { id: `chatcmpl-${index}`, object, created: 0, model }
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}
