import type { DuelFacts, EnvAnalysis, EnvFacts } from '@affine/report'
import { percent, percentRange } from '@affine/report/sentences'
import { type DuelAccount, latestAnalyses } from '../app-state.ts'
import { hotkeyNames, type Page, useAnswer } from '../page.ts'
import { Face } from './parts.tsx'

const toPercent = (ppm: number): string => `${ppm / 10_000}%`

const VERDICTS = { win: 'won', hold: 'held', even: 'undecided', open: 'open' } as const

export const LEADS_KEY =
  'A challenge is decisive if one of the two miners does better. Each bar is the interval of ' +
  'the contender’s share of the decisive challenges: luck may have moved the share that far. ' +
  'A bar to the right of the line is a win, and a golden bar is held by the champion. Open ' +
  'environments have no verdict yet, and undecided ones count for neither.'

/**
 * Shows the contender's share of decisive challenges in each environment, its interval, and the
 * ratio to beat.
 */
export function Leads({ account }: { readonly account: DuelAccount }) {
  return (
    <dl class="leads">
      {latestAnalyses(account).map((analysis) => (
        <Lead key={analysis.env} analysis={analysis} duel={account.duel} />
      ))}
    </dl>
  )
}

function Lead({ analysis, duel }: { readonly analysis: EnvFacts; readonly duel: DuelFacts }) {
  // The verdict of an earlier analysis may have been withdrawn.
  const verdict = duel.verdicts[analysis.env] ?? 'open'
  const { wins, trials, bounds } = verdict === 'hold' ? analysis.hold : analysis.win
  const name = analysis.env.replace(/@.*/, '')
  const range = bounds ? percentRange(bounds) : 'no decisive challenge'
  const { lower, upper } = bounds ?? { lower: 0, upper: 0 }
  return (
    <div class={`lead-${verdict}`}>
      <dt>{name}</dt>
      <dd>
        <svg class="strip-bar" width="100%" height="32" role="img">
          <title>{`${name}: ${range}. ${verdict}`}</title>
          <rect class="track" y="6" width="100%" height="6" />
          {bounds && (
            <rect x={toPercent(lower)} y="4" width={toPercent(upper - lower)} height="10" />
          )}
          {trials > 0 && <circle cx={toPercent((1e6 * wins) / trials)} cy="9" r="5" />}
          <RatioLine ratio={analysis.ratioPpm} height={18} />
        </svg>
      </dd>
      <dd>
        {VERDICTS[verdict]}
        {trials > 0 && `, ${percent((1e6 * wins) / trials)}`}
      </dd>
    </div>
  )
}

interface RatioLineProps {
  /** In ppm. */
  readonly ratio: number
  /** In pixels. */
  readonly height: number
}

/** Draws the ratio to beat as a line, with its number below. */
const RatioLine = ({ ratio, height }: RatioLineProps) => (
  <>
    <line x1={toPercent(ratio)} x2={toPercent(ratio)} y1="0" y2={height} />
    <text x={toPercent(ratio)} y={height + 12} text-anchor={ratio > 600_000 ? 'end' : 'middle'}>
      {percent(ratio)}: to beat
    </text>
  </>
)

interface StripsProps extends Page {
  readonly account: DuelAccount
  /** Hotkey of a validator whose face gets a label. */
  readonly of?: string | undefined
}

/** Shows for each environment of a duel the results of each validator, as a strip of faces. */
export function Strips({ account, of, ...page }: StripsProps) {
  const { duel, epochs } = account
  const { value, error } = useAnswer(page.ask, ['duel', duel.id], [epochs.length])
  return (
    <figure>
      {value === undefined && <p>{error ?? 'Reading…'}</p>}
      {value?.analyses.map((each) => (
        <Strip key={each.env} state={page.state} of={of} {...each} />
      ))}
      <figcaption>
        Each face is a validator, at the contender’s share of the decisive challenges that this
        validator published. Faces close together agree. A face far from the others, in red, is
        suspect: its results in that environment do not count. It had bad luck, or invented them.
      </figcaption>
    </figure>
  )
}

/** Number of rows of faces. In several rows, faces hide each other less. */
const ROWS = 3
const MAX_NAMED = 4

type StripProps = EnvAnalysis & Pick<StripsProps, 'state' | 'of'>

function Strip({ state, env, ratioPpm, report, of }: StripProps) {
  const nameOf = hotkeyNames(state)
  const faces = Object.entries(report.tallies).flatMap(([validator, { wins, losses }]) => {
    const trials = wins + losses
    const isSetAside = report.setAside.includes(validator)
    const label = `${wins} of ${trials} won`
    return trials > 0 ? [{ validator, label, rate: (1e6 * wins) / trials, isSetAside }] : []
  })
  const named = faces.filter((face) => face.isSetAside || face.validator === of).slice(0, MAX_NAMED)
  return (
    <div class="lanes">
      <b>{env}</b>
      <svg width="100%" height={76 + 15 * named.length} role="img">
        <title>{`${env}: the results of each validator`}</title>
        <rect class="track" y="26" width="100%" height="6" />
        <RatioLine ratio={ratioPpm} height={58} />
        {faces.map((lane, i) => (
          // biome-ignore lint/a11y/noSvgWithoutTitle: the group in it has a title
          <svg key={lane.validator} x={toPercent(lane.rate)} y={4 + (i % ROWS) * 18}>
            <g class={lane.isSetAside ? 'lane aside' : 'lane'} transform="translate(-7 0)">
              <title>
                {`${nameOf(lane.validator)}: ${lane.label}`}
                {lane.isSetAside && '; suspect, so not counted'}
              </title>
              <Face of={lane.validator} />
              {lane.isSetAside && <rect x="-2" y="-2" width="18" height="18" />}
            </g>
          </svg>
        ))}
        {named.map((lane, i) => (
          <text
            key={lane.validator}
            class={lane.isSetAside ? 'bad' : undefined}
            x={toPercent(lane.rate)}
            y={88 + 15 * i}
            text-anchor={lane.rate < 500_000 ? 'start' : 'end'}
          >
            {`${nameOf(lane.validator)}: ${percent(lane.rate)}, ${lane.label}`}
          </text>
        ))}
      </svg>
    </div>
  )
}
