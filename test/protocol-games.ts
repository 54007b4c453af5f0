/** The examples of docs/protocol.md about hex and pack. */
import { deriveSeed, make, play, playGame } from '../packages/envs/src/index.ts'
import { pcg64 } from '../packages/prng/src/index.ts'

interface Played {
  readonly id: string
  readonly replies: readonly string[]
}

/** Plays a game with both players' replies in the order of play. */
async function hexEpisode({ id, replies }: Played) {
  const env = make('hex@0.1.0')
  const boards: string[] = []
  const good: string[] = []
  const left = [...replies]
  const agent = ([message]: readonly { readonly content: string }[]) => {
    const prompt = message?.content ?? ''
    const rows = prompt.match(/^[A-K]( [.XO])+$/gm) ?? []
    boards.push(rows.map((row) => row.slice(1).replaceAll(' ', '')).join(''))
    good.push(env.spec.solve(prompt))
    return { content: left.shift() ?? '' }
  }
  const { champion, contender } = await playGame(env, id, { champion: agent, contender: agent })
  const first = pcg64(deriveSeed(id)).integers(0, 2) === 0 ? 'champion' : 'contender'
  const repliesOf = ({ messages }: typeof champion) =>
    messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
  return {
    first,
    boards,
    good,
    champion: { replies: repliesOf(champion), reward: champion.reward },
    contender: { replies: repliesOf(contender), reward: contender.reward },
  }
}

async function packEpisode({ id, replies }: Played) {
  const env = make('pack@0.1.0')
  const { messages, reward } = await play(env, id, () => ({ content: replies[0] ?? '' }))
  const prompt = messages[0]?.content ?? ''
  const cutting = env.spec.truth(env.spec.initial(pcg64(deriveSeed(id))))
  return { pieces: prompt.split('\n')[2], cutting, good: env.spec.solve(prompt), reward }
}

export const games = { 'hex episode': hexEpisode, 'pack episode': packEpisode }
