import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

interface FoldProps {
  readonly summary: string
  /** Drawn once it is open. */
  readonly children: () => ComponentChildren
}

/** What most readers do not need: it is drawn for those that open it. */
export function Fold({ summary, children }: FoldProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
