import { type Message, record } from '../src/episode.ts'
import type { EnvSpec } from '../src/index.ts'

/** Means over challenges, for both miners: the number of requests, and the characters sent. */
export interface CallCost {
  readonly calls: number
  /** Characters of the requests. `replied`: characters of the recorded replies. */
  readonly asked: number
  readonly replied: number
}

/** Returns the mean cost in an environment of one player if both miners play perfectly. */
export function callsOf({ spec }: { readonly spec: EnvSpec }, challenges: number): CallCost {
  let [calls, asked, replied] = [0, 0, 0]
  for (let seed = 0; seed < challenges; seed++) {
    const episode = record(spec, seed, 1)
    let turn = episode.next()
    while (!turn.done) {
      const { messages } = turn.value
      const content = spec.solve(messages.at(-1)?.content ?? '')
      calls += 2
      asked += 2 * charactersOf(messages)
      replied += 2 * content.length
      turn = episode.next({ content })
    }
  }
  return { calls: calls / challenges, asked: asked / challenges, replied: replied / challenges }
}

/** Returns the mean cost of games. In a game, a request contains only the current prompt. */
export function callsIn(games: readonly { readonly messages: readonly Message[] }[]): CallCost {
  const messages = games.flatMap((game) => game.messages)
  const prompts = messages.filter(({ role }) => role === 'user')
  const replied = messages.filter(({ role }) => role === 'assistant')
  return {
    calls: prompts.length / games.length,
    asked: charactersOf(prompts) / games.length,
    replied: charactersOf(replied) / games.length,
  }
}

const charactersOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + content.length, 0)

/** Returns a table row: name, calls, and tokens asked and replied, a quarter of the characters. */
export function callsRow(name: string, { calls, asked, replied }: CallCost): string {
  const tokens = [asked / 4, replied / 4].map((count) => count.toFixed(0))
  return `| ${[name, calls.toFixed(1), ...tokens].join(' | ')} |`
}
