/** Values by key, as they were at the end of any block. Blocks come in rising order. */
export class History<K, V> {
  readonly #changes = new Map<K, { readonly block: number; readonly value: V | undefined }[]>()

  set(block: number, key: K, value: V | undefined): void {
    const changes = this.#changes.get(key) ?? []
    this.#changes.set(key, changes)
    changes.push({ block, value })
  }

  at(block: number, key: K): V | undefined {
    const changes = this.#changes.get(key) ?? []
    let [low, high] = [0, changes.length] // the first change after `block` is in low..high
    while (low < high) {
      const middle = (low + high) >> 1
      if ((changes[middle]?.block ?? 0) <= block) low = middle + 1
      else high = middle
    }
    return changes[low - 1]?.value
  }

  /** What is there at the end of `block`, by the keys' first appearance. */
  all(block: number): V[] {
    return [...this.#changes.keys()].map((key) => this.at(block, key)).filter((value) => value !== undefined)
  }
}
