import type { JSX } from 'preact'
import { visibleLine } from '../visible.ts'
import type { EpochAccount } from '../worker/epoch-account.ts'
import { Wide } from './wide.tsx'

interface FindingsProps {
  readonly epochs: readonly EpochAccount[]
  /** Of this validator alone; of all of them if undefined. */
  readonly of?: string
}

/** More cannot be read. */
const MOST = 200

/** What did not hold, the last first. */
export function Findings({ epochs, of }: FindingsProps): JSX.Element | null {
  const found = epochs
    .flatMap(({ flaws, warnings }) => [
      ...flaws.map((flaw) => ({ ...flaw, mark: '✘' })),
      ...warnings.map((warning) => ({ ...warning, mark: '!' })),
    ])
    .filter(({ validator }) => of === undefined || validator === of)
  if (found.length === 0) return null
  const rows = found
    .slice(-MOST)
    .reverse()
    .map(({ mark, epoch, validator, code, detail }) => ({
      key: `${epoch}${validator}${code}${detail}`,
      cells: [
        `${mark} epoch ${epoch}`,
        visibleLine(validator),
        <code>{code}</code>,
        visibleLine(detail, 400),
      ],
    }))
  return (
    <div class="findings">
      <Wide label="Findings" columns={['when', 'validator', 'code', 'detail']} rows={rows} />
    </div>
  )
}
