import { laneText, percent } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { countLanes, trustIn } from '../lanes.ts'
import { nameIn, type Page, type StateProps } from '../page.ts'
import { BucketTable } from './bucket-table.tsx'
import { Findings } from './findings.tsx'
import { BigNumber, Numbers } from './numbers.tsx'
import { TitledTable } from './wide.tsx'

interface ValidatorProps extends StateProps {
  readonly hotkey: string
}

/** A validator: how far it is trusted, and why. */
export function ValidatorView({ state, hotkey }: Page & ValidatorProps): JSX.Element {
  const health = state.health.filter((bucket) => bucket.hotkey === hotkey)
  return (
    <>
      <p class="eyebrow">Validator</p>
      <h1>{nameIn(state)(hotkey)}</h1>
      <p class="mono">{hotkey}</p>
      <Charges state={state} hotkey={hotkey} />
      <ValidatorNumbers state={state} hotkey={hotkey} />
      <Lanes state={state} hotkey={hotkey} />
      <Findings epochs={state.epochs} of={hotkey} />
      {health.length > 0 && <BucketTable state={state} health={health} />}
    </>
  )
}

function Charges({ state, hotkey }: ValidatorProps): JSX.Element {
  const counts = countLanes(state).find((each) => each.hotkey === hotkey)
  const { due = 0, aside = 0, proved = [] } = counts ?? {}
  if (proved.length === 0 && aside === 0)
    return <p class="lead">Nothing speaks against it in the epochs that were read.</p>
  return (
    <p class="lead bad">
      {proved.length > 0 && <>✘ Caught: {proved.join(', ')}. </>}
      {aside > 0 && `Suspect: ${aside} of ${due} lanes too far from the others’. `}
      <a href="#/validators">What that means</a>
    </p>
  )
}

function ValidatorNumbers({ state, hotkey }: ValidatorProps): JSX.Element {
  const counts = countLanes(state).find((each) => each.hotkey === hotkey)
  const { due = 0, sealed = 0, accepted = 0, aside = 0 } = counts ?? {}
  return (
    <Numbers>
      <BigNumber name="Trust" value={percent(trustIn(state, hotkey))}>
        older lanes count less
      </BigNumber>
      <BigNumber name="Lanes accepted" value={`${accepted} of ${due}`}>
        {sealed} were sealed in time
      </BigNumber>
      <BigNumber name="Set aside" value={`${aside} of ${due}`}>
        too far from the others in some environment
      </BigNumber>
    </Numbers>
  )
}

function Lanes({ state, hotkey }: ValidatorProps): JSX.Element | null {
  const rows = state.epochs.flatMap(({ epoch, lanes, duel }) => {
    const lane = lanes.find(({ validator }) => validator === hotkey)
    if (lane === undefined || duel === undefined) return []
    const { fault, trust, setAside } = lane
    const text = laneText(lane)
    const cells = [
      <a href={linkTo.duel(duel.id)}>epoch {epoch}</a>,
      fault === undefined ? text : `${text}: ${fault}`,
      percent(trust),
    ]
    return [{ key: epoch, isBad: setAside.length > 0, cells }]
  })
  if (rows.length === 0) return null
  return (
    <TitledTable
      title="Its lanes"
      columns={['duel in', 'its lane', 'trust after it']}
      rows={rows.reverse()}
    />
  )
}
