import { join } from 'node:path'
import { weighToday } from '@affine/duel'
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
    const { epoch, before, state, report } = settled
    this.#tables.epochs.add(settled)
    const ratioPpm = before.duel?.ratio ?? before.ratio
    for (const [env, look] of Object.entries(report.envs))
      this.#tables.environments.add({ epoch, env, look, ratioPpm })
    this.#addLanes(settled)
    for (const [validator, record] of Object.entries(state.trust))
      this.#tables.trust.add({ epoch, validator, record })
  }

  #addLanes({ epoch, before: { duel }, snapshot, report, lanes }: Recomputed): void {
    const weights = duel ? weighToday(duel, snapshot) : {}
    for (const [validator, lane] of Object.entries(report.lanes)) {
      const read = lanes.get(validator)
      const fault = read === undefined || read.ok ? undefined : read.code
      const weight = weights[validator] ?? 0
      for (const env of Object.keys(report.envs)) {
        const tally = read?.ok ? read.value.tallies[env] : undefined
        this.#tables.lanes.add({ epoch, validator, env, lane, weight, tally, fault })
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
