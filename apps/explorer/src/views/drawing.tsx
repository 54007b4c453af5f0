import type { Turn } from '@affine/report'
import type { JSX } from 'preact'
import { visible } from '../visible.ts'
import { Board, isBoard } from './board.tsx'

interface DrawingProps extends Pick<Turn, 'observation' | 'drawn'> {
  readonly env: string
  /** A reply to what is drawn, with what would have been best. */
  readonly turn?: Turn
}

/** What was observed: on a board where there is one, else as lines, if its environment has some. */
export function Drawing({ env, observation, drawn, turn }: DrawingProps): JSX.Element | null {
  if (isBoard(env) && Array.isArray(observation)) {
    if (turn === undefined) return <Board cells={observation} />
    const { action, best, mistake } = turn
    return (
      <Board
        cells={observation}
        taken={typeof action === 'number' ? action : undefined}
        best={best as readonly number[]}
        isMistake={mistake !== undefined}
      />
    )
  }
  return drawn.length === 0 ? null : <pre class="drawn">{visible(drawn.join('\n'))}</pre>
}
