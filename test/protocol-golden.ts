/**
 * The golden player, written only from its description in docs/protocol.md.
 */
import { type Agent, type EnvSpec, play, playGame } from '../packages/envs/src/index.ts'
import { digest, type Json, pcg64 } from '../packages/prng/src/index.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58(hash: string): string {
  let text = ''
  for (let remaining = BigInt(`0x${hash}`); remaining > 0n; remaining /= 58n)
    text = ALPHABET.charAt(Number(remaining % 58n)) + text
  return '1'.repeat((/^(00)*/.exec(hash)?.[0].length ?? 0) / 2) + text
}

const FORMS: readonly ((good: string) => string)[] = [
  () => '',
  (good) => ` ${good} . `,
  (good) => `**${good}**.`,
  (good) => `0${good}`,
  (good) => `${good}\n \n`,
  (good) => `\\(\\boxed{\\text{${good}}}\\)`,
  (good) => `Answer: ${good}`,
  (good) => good.slice(0, -1),
  (good) => good.toLowerCase(),
  (good) => good.replace(/[0-9]/g, (digit) => '０１２３４５６７８９'.charAt(Number(digit))),
]

export async function goldenEpisode(spec: EnvSpec, index: number) {
  const random = pcg64(index)
  const challengeId = base58(digest('golden', spec.id, index))
  const kinds: number[] = []
  const draws = spec.game === undefined ? 16 : 256
  const player: Agent = (conversation) => {
    const prompt = conversation.at(-1)?.content ?? ''
    const good = spec.solve(prompt)
    const kind = random.integers(0, draws)
    kinds.push(kind)
    if (kind === 8) return { fault: 'no-reply' }
    return { content: replyOf(kind) }

    function replyOf(kind: number): string {
      if (kind <= 5) return spec.guess(prompt, random)
      if (kind === 6) return `\u001b[1mSo\u202e:\u001b]0;x\u0007\r\n${good}`
      if (kind === 7) return FORMS[random.integers(0, 10)]?.(good) ?? ''
      return good
    }
  }
  const episode =
    spec.game === undefined
      ? await play({ spec }, challengeId, player)
      : await playGame({ spec }, challengeId, { champion: player, contender: player })
  return { challengeId, kinds, episode }
}

export async function goldenHash(spec: EnvSpec): Promise<string> {
  const episodes = await Promise.all(
    Array.from({ length: 256 }, (_, index) => goldenEpisode(spec, index)),
  )
  return digest('spec', spec.id, episodes.map(({ episode }) => episode) as unknown as Json)
}
