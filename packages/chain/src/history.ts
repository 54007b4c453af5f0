/** A value over time: what it was at the end of any block. Blocks are set in rising order. */
export class History<T> {
  readonly #entries: { readonly block: number; readonly value: T }[] = []

  get last(): T | undefined {
    return this.#entries.at(-1)?.value
  }

  set(block: number, value: T): void {
    if (this.#entries.at(-1)?.block === block) this.#entries.pop()
    this.#entries.push({ block, value })
  }

  at(block: number): T | undefined {
    let [low, high] = [0, this.#entries.length] // the first entry after `block` is in low..high
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#entries[middle]?.block ?? 0) <= block) low = middle + 1
      else high = middle
    }
    return this.#entries[low - 1]?.value
  }
}
