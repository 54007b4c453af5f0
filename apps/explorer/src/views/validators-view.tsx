import type { LaneFacts } from '@affine/report'
import { formatLane, percent } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { type AppState, countLanes, findTrust, formatSpan, listDuels } from '../app-state.ts'
import { explainAbsence, hotkeyNames, type Page, type StateProps } from '../page.ts'
import { formatCount, showOnLine } from '../visible.ts'
import type { BucketHealth } from '../worker/buckets.ts'
import type { EpochAccount } from '../worker/epoch-accounts.ts'
import { Strips } from './bars.tsx'
import { Heading, Key, Table } from './parts.tsx'

/** What is given to what shows one validator, or all of them. */
interface ValidatorProps extends StateProps {
  readonly of?: string | undefined
}

/** All validators, or one: what they saw of a duel, what speaks against them, trust, buckets. */
export function ValidatorsView({ of, ...page }: Page & ValidatorProps): JSX.Element {
  const { state } = page
  const { epochs } = state
  return (
    <>
      <Heading kind={of && 'validator'}>{of ? hotkeyNames(state)(of) : 'Validators'}</Heading>
      <p class="mono">{of}</p>
      <LatestDuel {...page} of={of} />
      <Counts state={state} of={of} />
      <p class="caption">
        A flaw is proved where a validator signed evidence that does not hold, or attested a wrong
        result. A validator that is too far from the others is suspect, which bad luck can cause.
        Trust counts what was whole and in time, the last epochs most. It does not count where half
        of the duels found a validator too far from the others, nor say that its replies are true.
      </p>
      <Lanes state={state} of={of} />
      <Findings state={state} of={of} />
      {epochs.every(({ flaws, warnings }) => flaws.length + warnings.length === 0) && (
        <p>{explainAbsence(state, 'No flaw is proved, of what was compared.')}</p>
      )}
      <BucketTable state={state} of={of} />
    </>
  )
}

/** What all saw of one duel: the last in which the validator `of`, or any, was set aside. */
function LatestDuel({ of, ...page }: Page & ValidatorProps): JSX.Element | null {
  const { state } = page
  const duels = listDuels(state)
  const far = state.epochs.flatMap(({ lanes }) =>
    lanes
      .filter(({ validator }) => of === undefined || validator === of)
      .flatMap(({ setAside }) => setAside.flatMap(({ contenders }) => contenders)),
  )
  const last = duels.filter(({ duel }) => far.includes(duel.contender.hotkey)).at(-1)
  const account = last ?? duels.at(-1)
  if (account === undefined) return null
  const { contender, champion } = account.duel
  return (
    <section>
      <p class="lead">
        What they saw of the duel of <Key state={state} hotkey={contender.hotkey} /> against{' '}
        <Key state={state} hotkey={champion.hotkey} />, {formatSpan(account)}.
      </p>
      <Strips {...page} account={account} of={of} />
    </section>
  )
}

/** The validators against which something speaks come first, and are marked. */
function Counts({ state, of }: ValidatorProps): JSX.Element {
  const counts = countLanes(state).filter(({ hotkey }) => of === undefined || hotkey === of)
  const rows = counts.map(({ hotkey, proved, due, sealed, accepted, outliers }) => ({
    key: hotkey,
    isBad: proved.length > 0 || outliers > 0,
    cells: {
      validator: <Key state={state} hotkey={hotkey} />,
      'proved flaws': proved.join(', ') || 'none',
      'suspect in epochs': `${outliers} of ${due}`,
      'published in time': `${sealed} of ${due}`,
      accepted: `${accepted} of ${due}`,
      trust: percent(findTrust(state, hotkey)),
    },
  }))
  return <Table title="Flaws and trust" rows={rows} />
}

/** What one validator published, epoch by epoch. */
function Lanes({ state, of }: ValidatorProps): JSX.Element | null {
  const rows = state.epochs.flatMap(({ epoch, lanes, duels }) => {
    const lane = lanes.find(({ validator }) => validator === of)
    if (lane === undefined) return []
    const { fault, trust, setAside } = lane
    const text = formatLane({ ...lane, setAside: [] })
    const cells = {
      epoch,
      'is it whole': fault === undefined ? text : `${text}: ${fault}`,
      'suspect, so not counted, in': setAside.map((aside) => (
        <div key={aside.env}>{describeOutlier(state, duels, aside)}</div>
      )),
      'trust after it': percent(trust),
    }
    return [{ key: epoch, isBad: setAside.length > 0, cells }]
  })
  if (rows.length === 0) return null
  return <Table title="What it published" rows={rows.reverse()} />
}

/** In how many of the duels that played an environment a lane was set aside, and in which. */
function describeOutlier(
  state: AppState,
  duels: EpochAccount['duels'],
  { env, contenders }: LaneFacts['setAside'][number],
): string {
  const played = duels.filter(({ looks }) => looks.some((look) => look.env === env))
  const against = contenders.map(hotkeyNames(state)).join(', ')
  return `${env}: ${contenders.length} of ${formatCount(played.length, 'duel')}, against ${against}`
}

/** More cannot be read. */
const MAX_ROWS = 200

/** What did not hold, the last first: of one validator, or of all of them. */
function Findings({ state, of }: ValidatorProps): JSX.Element | null {
  const found = state.epochs
    .flatMap(({ flaws, warnings }) => [
      ...flaws.map((flaw) => ({ ...flaw, mark: '✘' })),
      ...warnings.map((warning) => ({ ...warning, mark: '!' })),
    ])
    .filter(({ validator }) => of === undefined || validator === of)
  if (found.length === 0) return null
  const rows = found
    .slice(-MAX_ROWS)
    .reverse()
    .map(({ mark, epoch, validator, code, detail }) => ({
      key: `${epoch}${validator}${code}${detail}`,
      cells: {
        when: `${mark} epoch ${epoch}`,
        validator: showOnLine(validator),
        code: <code>{code}</code>,
        detail: showOnLine(detail, 400),
      },
    }))
  return <Table title="What did not hold" rows={rows} />
}

/** What each bucket did when it was asked: that of one validator, or all of them. */
export function BucketTable({ state, of }: ValidatorProps): JSX.Element | null {
  const health = state.health.filter(({ hotkey }) => of === undefined || hotkey === of)
  if (of !== undefined && health.length === 0) return null
  const rows = health.map((bucket) => ({
    key: bucket.hotkey + bucket.announced,
    isBad: bucket.failure !== undefined,
    cells: {
      of: <Key state={state} hotkey={bucket.hotkey} />,
      announced: <span class="long">{showOnLine(bucket.announced, 140)}</span>,
      'files read': bucket.files,
      'not there': bucket.missing,
      state: describeBucket(bucket),
    },
  }))
  return <Table title="Buckets" rows={rows} />
}

function describeBucket({ place, failure, files, missing }: BucketHealth): string {
  if (place === undefined) return 'a page cannot open its address'
  if (failure !== undefined) return `✘ ${showOnLine(failure)}`
  if (files + missing === 0) return 'no answer so far'
  return files > 0 ? '✔ answers' : '✘ has nothing that was asked for'
}
