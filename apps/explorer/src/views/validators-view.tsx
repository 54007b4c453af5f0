import { formatCount, formatLane, formatStake, percent } from '@affine/report/sentences'
import { type AppState, formatSpan, listDuels } from '../app-state.ts'
import { explainAbsence, hotkeyNames, type Page, type StateProps } from '../page.ts'
import { showOnLine } from '../visible.ts'
import type { BucketHealth } from '../worker/buckets.ts'
import { Strips } from './bars.tsx'
import { Heading, Key, Table } from './parts.tsx'

/** The validator to show. Default: all. */
interface ValidatorProps extends StateProps {
  readonly of?: string | undefined
}

/** Shows results of a duel, lanes, trust, buckets, flaws and warnings. */
export function ValidatorsView({ of, ...page }: Page & ValidatorProps) {
  const { state } = page
  return (
    <>
      <Heading kind={of && 'validator'}>{of ? hotkeyNames(state)(of) : 'Validators'}</Heading>
      {of && <p class="mono">{of}</p>}
      <LatestDuel {...page} of={of} />
      <Counts state={state} of={of} />
      <p class="caption">
        A flaw proves that a validator signed invalid evidence or attested a wrong result. Trust is
        the share of a validator’s stake that counts: timely valid lanes raise it, missing or void
        ones lower it, and recent epochs count most. Trust does not prove that miners sent the
        replies. An idle validator sets weights, but attested nothing for twenty epochs.
      </p>
      <Lanes state={state} of={of} />
      <BucketTable state={state} of={of} />
      <Findings state={state} of={of} />
    </>
  )
}

/**
 * Shows the latest duel in which `of` or, if it is undefined, any validator was an outlier; if
 * there is none, the latest duel.
 */
function LatestDuel({ of, ...page }: Page & ValidatorProps) {
  const { state } = page
  const duels = listDuels(state)
  const far = state.epochs
    .flatMap(({ lanes }) => lanes)
    .filter(({ validator }) => of === undefined || validator === of)
    .flatMap(({ setAside }) => setAside.flatMap(({ contenders }) => contenders))
  const last = duels.filter(({ duel }) => far.includes(duel.contender.hotkey)).at(-1)
  const account = last ?? duels.at(-1)
  if (account === undefined) return null
  const { contender, champion } = account.duel
  return (
    <section>
      <p class="lead">
        Results in the duel of <Key state={state} hotkey={contender.hotkey} /> against{' '}
        <Key state={state} hotkey={champion.hotkey} />, {formatSpan(account)}.
      </p>
      <Strips {...page} account={account} of={of} />
    </section>
  )
}

/** Codes of flaws that prove nothing: a file may be lost, or a bucket unreachable. */
const UNPROVED = ['COPY_MISSING', 'MISSING_BLOCK', 'STATE_MISSING']

/** Counts the lanes of a validator, and its proved flaws by code, as in "WRONG_REPLAY × 2". */
function countLanes({ epochs }: AppState, hotkey: string) {
  const isOwn = ({ validator }: { readonly validator: string }): boolean => validator === hotkey
  const own = epochs.flatMap(({ lanes }) => lanes.filter(isOwn))
  const codes = epochs
    .flatMap(({ flaws }) => flaws.filter(isOwn).map(({ code }) => code))
    .filter((code) => !UNPROVED.includes(code))
  return {
    due: own.length,
    accepted: own.filter(({ accepted }) => accepted).length,
    outliers: own.filter(({ setAside }) => setAside.length > 0).length,
    proved: [...new Set(codes)].map(
      (code) => `${code} × ${codes.filter((each) => each === code).length}`,
    ),
  }
}

/** Shows the validators with a due lane in the epochs read, worst first, then the idle. */
function Counts({ state, of }: ValidatorProps) {
  const { epochs, validators = [] } = state
  const due = epochs.flatMap(({ lanes }) => lanes.map(({ validator }) => validator))
  const idle = validators.flatMap(({ isIdle, hotkey }) => (isIdle ? [hotkey] : []))
  const hotkeys = [...new Set([...due, ...idle])].filter((hotkey) => hotkey === (of ?? hotkey))
  if (hotkeys.length === 0) return <p>{explainAbsence(state, 'No lane was due.')}</p>
  const rows = hotkeys
    .map((hotkey) => ({ hotkey, ...countLanes(state, hotkey) }))
    .sort((a, b) => b.proved.length - a.proved.length || b.outliers - a.outliers)
    .map(({ hotkey, due, accepted, outliers, proved }) => {
      const { stake, isIdle } = validators.find((each) => each.hotkey === hotkey) ?? {}
      const isBad = proved.length > 0 || outliers > 0 || isIdle === true
      return {
        validator: <Key state={state} hotkey={hotkey} isBad={isBad} />,
        stake: stake === undefined ? '–' : formatStake(stake),
        'lanes accepted': isIdle ? 'idle' : `${accepted} of ${due}`,
        'epochs suspect': `${outliers} of ${due}`,
        'proved flaws': proved.join(', ') || 'none',
        // The stake of a validator without a record of trust counts by half. Protocol §8.9.
        trust: percent(epochs.at(-1)?.trust[hotkey] ?? 500_000),
      }
    })
  return <Table title="Stake, lanes and trust" rows={rows} />
}

function Lanes({ state, of }: ValidatorProps) {
  const rows = state.epochs.flatMap(({ epoch, lanes }) => {
    const lane = lanes.find(({ validator }) => validator === of)
    if (lane === undefined) return []
    const cause = lane.fault === undefined ? '' : `: ${lane.fault}`
    const trust = percent(lane.trust)
    return [{ epoch, lane: formatLane(lane) + cause, 'trust afterwards': trust }]
  })
  if (rows.length === 0) return null
  return <Table title="Lanes, epoch by epoch" rows={rows.reverse()} />
}

const MAX_ROWS = 200

/** Shows flaws and warnings, latest first. */
function Findings({ state, of }: ValidatorProps) {
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
      when: `${mark} epoch ${epoch}`,
      validator: <Key state={state} hotkey={validator} />,
      code: <code>{code}</code>,
      detail: showOnLine(detail, 400),
    }))
  return <Table title="Flaws and warnings" rows={rows} />
}

function BucketTable({ state, of }: ValidatorProps) {
  const health = state.health.filter(({ hotkey }) => of === undefined || hotkey === of)
  if (of !== undefined && health.length === 0) return null
  const rows = health.map((bucket) => ({
    validator: <Key state={state} hotkey={bucket.hotkey} isBad={bucket.failure !== undefined} />,
    announced: showOnLine(bucket.announced, 140),
    state: describeBucket(bucket),
  }))
  return <Table title="Buckets" rows={rows} />
}

function describeBucket({ place, failure, files, missing }: BucketHealth): string {
  if (place === undefined) return 'a page cannot open this address'
  if (failure !== undefined) return `✘ ${showOnLine(failure)}`
  return `${missing > 0 ? '✘ ' : ''}${formatCount(files, 'file')} read, ${missing} missing`
}
