import { join } from 'node:path'
import { TABLE_COLUMNS, type TableName, type TableRow } from '@affine/report'
import { TableFile } from './table-file.ts'

/** A history as tables in a folder, all of them or, once it is disposed of unfinished, none. */
export class History implements Disposable {
  readonly #tables: Readonly<Record<TableName, TableFile>>

  constructor(folder: string) {
    const open = (name: TableName): TableFile =>
      new TableFile(join(folder, `${name}.csv`), TABLE_COLUMNS[name])
    this.#tables = {
      epochs: open('epochs'),
      environments: open('environments'),
      lanes: open('lanes'),
      trust: open('trust'),
      samples: open('samples'),
    }
  }

  /** How many each table has, by its name. */
  get rows(): Readonly<Record<string, number>> {
    return Object.fromEntries(Object.entries(this.#tables).map(([name, { rows }]) => [name, rows]))
  }

  add({ table, cells }: TableRow): void {
    this.#tables[table].add(cells)
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
