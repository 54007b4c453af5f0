import type { Transcript } from '@affine/envs'
import { NoAnswer, type Opponent } from './player.ts'

type PlayerEpisode = Pick<Transcript, 'messages' | 'fault'>

/**
 * Whatever a player that never replies comes to says nothing about it.
 * @throws NoAnswer when the player of these episodes was asked and gave no usable reply in any;
 *   with what came instead in this run most often.
 */
export function expectReply(
  player: string,
  episodes: readonly PlayerEpisode[],
  { failures }: Pick<Opponent, 'failures'>,
): void {
  // In a game that the other player loses at once, a player is not asked.
  const asked = episodes.filter(({ messages }) => messages.length > 0)
  if (asked.length === 0 || !asked.every(isSilent)) return
  const nothing = 'none of what was kept has one; to ask again, keep it in another place'
  const [[why] = [nothing]] = [...failures].sort(([, a], [, b]) => b - a)
  throw new NoAnswer(`${player} gives no usable reply: ${why}`)
}

/** A reply that is too long is not recorded, but it came. */
function isSilent({ messages, fault }: PlayerEpisode): boolean {
  return fault === 'no-reply' && messages.every(({ role }) => role !== 'assistant')
}
