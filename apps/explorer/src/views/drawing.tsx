import type { Turn } from '@affine/report'
import type { JSX } from 'preact'
import { visible } from '../visible.ts'
import { PictureView } from './picture-view.tsx'

interface DrawingProps extends Pick<Turn, 'picture' | 'drawn'> {
  /** A reply to what is drawn, with what would have been best. */
  readonly turn?: Turn
}

/** What was observed: as a picture where there is one, else as lines, if it has some. */
export function Drawing({ picture, drawn, turn }: DrawingProps): JSX.Element | null {
  if (picture !== undefined) return <PictureView picture={picture} turn={turn} />
  return drawn.length === 0 ? null : <pre class="drawn">{visible(drawn.join('\n'))}</pre>
}
