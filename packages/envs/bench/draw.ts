/** Draws an integer from 0 to `below` - 1. */
export type Draw = (below: number) => number

/** Returns a player's reply to a prompt. `draw` is the player's random stream. */
export type Program = (prompt: string, draw: Draw) => string

/** Returns a fast random stream of a seed: Marsaglia's xorshift. */
export function drawFrom(seed: number): Draw {
  let state = (seed + 1) * 0x9e3779b1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return Math.floor(((state >>> 0) / 2 ** 32) * below)
  }
}

/** Shuffles a list in place. */
export function shuffle<Item>(list: Item[], draw: Draw): Item[] {
  for (let i = list.length - 1; i > 0; i--) exchange(list, i, draw(i + 1))
  return list
}

export function exchange<Item>(list: Item[], i: number, j: number): void {
  const moved = list[i] as Item
  list[i] = list[j] as Item
  list[j] = moved
}
