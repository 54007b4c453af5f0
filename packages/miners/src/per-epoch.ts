/** Values by epoch. Keeps those of the epoch that was asked for last, and of the one before. */
export class PerEpoch<Value> {
  readonly #values = new Map<number, Value>()
  readonly #create: () => Value

  /** @param create Returns the value with which an epoch begins. */
  constructor(create: () => Value) {
    this.#create = create
  }

  /** Returns the value of an epoch. */
  of(epoch: number): Value {
    const value = this.#values.get(epoch) ?? this.#create()
    this.#values.set(epoch, value)
    for (const each of this.#values.keys()) if (each < epoch - 1) this.#values.delete(each)
    return value
  }
}
