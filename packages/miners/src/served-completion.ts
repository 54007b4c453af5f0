/** What the reference miner's model is called. */
export const MODEL = 'reference'

/** A reply to a prompt, the `index`-th of a server, from 1. */
export interface Served {
  readonly index: number
  readonly model: string
  readonly prompt: string
  readonly reply: string
}

/** A chat completion as OpenAI's servers give it. Its tokens are words, for want of a tokenizer. */
export function completionOf({ reply, prompt, ...served }: Served): object {
  const message = { role: 'assistant', content: reply }
  const [asked, said] = [wordsIn(prompt), wordsIn(reply)]
  return {
    ...headOf(served, 'chat.completion'),
    choices: [{ index: 0, finish_reason: 'stop', message, logprobs: null }],
    usage: { prompt_tokens: asked, completion_tokens: said, total_tokens: asked + said },
  }
}

/** The same as a stream of events, line by line. */
export function eventsOf({ reply, ...served }: Served): string {
  const head = headOf(served, 'chat.completion.chunk')
  const event = (delta: object, finish: string | null): string => {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    return `data: ${JSON.stringify({ ...head, choices })}\n\n`
  }
  const pieces = reply.split(/(?<=\n)/).map((content) => event({ content }, null))
  const first = event({ role: 'assistant', content: '' }, null)
  return [first, ...pieces, event({}, 'stop'), 'data: [DONE]\n\n'].join('')
}

function headOf({ index, model }: Pick<Served, 'index' | 'model'>, object: string): object {
  return { id: `chatcmpl-${index}`, object, created: 0, model }
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}
