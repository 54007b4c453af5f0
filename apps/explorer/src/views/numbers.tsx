import type { ComponentChildren, JSX } from 'preact'

interface NumbersProps {
  readonly children: readonly JSX.Element[]
}

/** A few numbers side by side, for a first look. */
export const Numbers = ({ children }: NumbersProps): JSX.Element => (
  <dl class="numbers">{children}</dl>
)

interface BigNumberProps {
  readonly name: string
  readonly value: ComponentChildren
  /** What the number means. */
  readonly children?: ComponentChildren
}

export const BigNumber = ({ name, value, children }: BigNumberProps): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd class="big">{value}</dd>
    <dd>{children}</dd>
  </div>
)
