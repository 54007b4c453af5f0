/**
 * Room for the bytes of lanes that wait for their turn. There is always room for the lane whose
 * turn it is, so that every turn comes.
 */
export class Room {
  readonly #most: number
  #held = 0
  #turn = 0
  #waiting: (() => void)[] = []

  /** So many bytes, of lanes whose turn has not come. */
  constructor(most: number) {
    this.#most = most
  }

  /** Resolves when there is room for the bytes of the lane whose turn is the n-th, from 0. */
  async take(bytes: number, turn: number): Promise<void> {
    while (turn !== this.#turn && this.#held + bytes > this.#most)
      await new Promise<void>((wake) => this.#waiting.push(wake))
    this.#held += bytes
  }

  /** The lane whose turn it was holds nothing any more: it is the next one's. */
  endTurn(bytes: number): void {
    this.#held -= bytes
    this.#turn += 1
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
