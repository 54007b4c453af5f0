import type { Duel } from '@affine/duel'
import { type AgentOf, playerReply } from '@affine/miners'
import type { Cast } from './cast.ts'

/**
 * How the liar samples: it asks no miner. In its transcripts the weaker miner plays perfectly and
 * the other gives up. Such transcripts replay, so only statistics can expose them.
 */
export function liarsAgent({ miners }: Cast, duelOf: () => Duel | undefined): AgentOf {
  const skillOf = (hotkey: string): number =>
    miners.find(({ account }) => account.hotkey === hotkey)?.skill ?? 0
  const favourite = (): string | undefined => {
    const duel = duelOf()
    if (duel === undefined) return undefined
    const { champion, contender } = duel
    if (skillOf(champion.hotkey) < skillOf(contender.hotkey)) return champion.hotkey
    return contender.hotkey
  }
  return ({ hotkey }) =>
    async (messages) => {
      if (hotkey !== favourite()) return { content: 'I give up.' }
      const prompt = messages.at(-1)?.content ?? ''
      return { content: playerReply(prompt, { skill: 1, seed: '' }) }
    }
}
