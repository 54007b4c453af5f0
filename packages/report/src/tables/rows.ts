import { weighToday } from '@affine/duel'
import type { Recomputed } from '@affine/settlement'
import { type EpochFacts, epochFacts } from '../epoch-facts.ts'
import {
  type Cell,
  type Columns,
  ENVIRONMENTS,
  EPOCHS,
  LANES,
  SAMPLES,
  type SampleFact,
  TRUST,
} from './columns.ts'

export type TableName = 'epochs' | 'environments' | 'lanes' | 'trust' | 'samples'

/** The tables of a history, and the names of their columns. */
export const TABLE_COLUMNS: Readonly<Record<TableName, readonly string[]>> = {
  epochs: Object.keys(EPOCHS),
  environments: Object.keys(ENVIRONMENTS),
  lanes: Object.keys(LANES),
  trust: Object.keys(TRUST),
  samples: Object.keys(SAMPLES),
}

/** A row of one of the tables. */
export interface TableRow {
  readonly table: TableName
  readonly cells: readonly Cell[]
}

/** A sample's row. */
export const sampleRow = (fact: SampleFact): TableRow => rowOf('samples', SAMPLES, fact)

/** The rows of an epoch, but for its samples. */
export function epochRows(settled: Recomputed): readonly TableRow[] {
  const facts = epochFacts(settled)
  const { epoch, envs } = facts
  return [
    rowOf('epochs', EPOCHS, facts),
    ...envs.map((env) => rowOf('environments', ENVIRONMENTS, { epoch, ...env })),
    ...laneRows(settled, facts),
    ...Object.entries(settled.state.trust).map(([validator, record]) =>
      rowOf('trust', TRUST, { epoch, validator, record }),
    ),
  ]
}

function laneRows(
  { before: { duel }, snapshot, lanes }: Recomputed,
  { epoch, envs, lanes: due }: EpochFacts,
): readonly TableRow[] {
  const weights = duel ? weighToday(duel, snapshot) : {}
  return due.flatMap((lane) => {
    const read = lanes.get(lane.validator)
    const weight = weights[lane.validator] ?? 0
    return envs.map(({ env }) => {
      const tally = read?.ok ? read.value.tallies[env] : undefined
      return rowOf('lanes', LANES, { epoch, env, lane, weight, tally })
    })
  })
}

function rowOf<Fact>(table: TableName, columns: Columns<Fact>, fact: Fact): TableRow {
  return { table, cells: Object.values(columns).map((cellOf) => cellOf(fact)) }
}
