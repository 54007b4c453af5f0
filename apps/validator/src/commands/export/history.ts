import { join } from 'node:path'
import { weighToday } from '@affine/duel'
import { type EpochFacts, epochFacts } from '@affine/report'
import type { Recomputed } from '@affine/settlement'
import { ENVIRONMENTS, EPOCHS, LANES, SAMPLES, type SampleFact, TRUST } from './columns.ts'
import { TableFile } from './table-file.ts'

/** A history as tables in a folder, all of them or, once it is disposed of unfinished, none. */
export class History implements Disposable {
  readonly #tables

  constructor(folder: string) {
    const file = (name: string): string => join(folder, `${name}.csv`)
    this.#tables = {
      epochs: new TableFile(file('epochs'), EPOCHS),
      environments: new TableFile(file('environments'), ENVIRONMENTS),
      lanes: new TableFile(file('lanes'), LANES),
      trust: new TableFile(file('trust'), TRUST),
      samples: new TableFile(file('samples'), SAMPLES),
    }
  }

  /** How many each table has, by its name. */
  get rows(): Readonly<Record<string, number>> {
    return Object.fromEntries(Object.entries(this.#tables).map(([name, { rows }]) => [name, rows]))
  }

  addSample(fact: SampleFact): void {
    this.#tables.samples.add(fact)
  }

  addEpoch(settled: Recomputed): void {
    const facts = epochFacts(settled)
    const { epoch } = facts
    this.#tables.epochs.add(facts)
    for (const env of facts.envs) this.#tables.environments.add({ epoch, ...env })
    this.#addLanes(settled, facts)
    for (const [validator, record] of Object.entries(settled.state.trust))
      this.#tables.trust.add({ epoch, validator, record })
  }

  #addLanes({ before: { duel }, snapshot, lanes }: Recomputed, facts: EpochFacts): void {
    const weights = duel ? weighToday(duel, snapshot) : {}
    for (const lane of facts.lanes) {
      const read = lanes.get(lane.validator)
      const weight = weights[lane.validator] ?? 0
      for (const { env } of facts.envs) {
        const tally = read?.ok ? read.value.tallies[env] : undefined
        this.#tables.lanes.add({ epoch: facts.epoch, env, lane, weight, tally })
      }
    }
  }

  /** Gives all files their names. */
  finish(): void {
    const tables = Object.values(this.#tables)
    for (const table of tables) table.end()
    for (const table of tables) table.name()
  }

  [Symbol.dispose](): void {
    for (const table of Object.values(this.#tables)) table[Symbol.dispose]()
  }
}
