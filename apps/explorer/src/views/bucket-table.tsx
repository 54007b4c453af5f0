import type { JSX } from 'preact'
import type { StateProps } from '../page.ts'
import { visibleLine } from '../visible.ts'
import type { BucketHealth } from '../worker/buckets.ts'
import { Key } from './key.tsx'
import { TitledTable } from './wide.tsx'

interface BucketProps extends StateProps {
  readonly health: readonly BucketHealth[]
}

/** What each bucket did when it was asked. */
export function BucketTable({ state, health }: BucketProps): JSX.Element {
  const rows = health.map(({ hotkey, announced, place, files, bytes, missing, silent }) => ({
    key: hotkey + announced,
    isBad: silent !== undefined,
    cells: [
      <Key state={state} hotkey={hotkey} />,
      <span class="long">{visibleLine(announced, 140)}</span>,
      files,
      (bytes / 1e6).toFixed(1),
      missing,
      stateText({ place, silent, files, asked: files + missing }),
    ],
  }))
  return (
    <TitledTable
      title="Buckets"
      columns={['of', 'announced', 'files read', 'MB', 'not there', 'state']}
      rows={rows}
    />
  )
}

interface BucketRow {
  readonly files: number
  readonly place: string | undefined
  readonly silent: string | undefined
  /** How often it answered. */
  readonly asked: number
}

function stateText({ place, silent, files, asked }: BucketRow): string {
  if (place === undefined) return 'a page cannot open its address'
  if (silent !== undefined) return `✘ ${visibleLine(silent)}; other copies were used`
  if (asked === 0) return 'was not asked'
  return files > 0 ? '✔ answers' : '✘ has nothing that was asked for'
}
