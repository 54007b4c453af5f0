import type { Sample } from '@affine/blocks'
import { type State, stateRoot } from '@affine/duel'
import {
  type Flaw,
  type OpenBucket,
  type Recomputed,
  type RecomputeOptions,
  type Remark,
  recompute,
  type SamplePlace,
  type Subnet,
  type Votes,
} from '@affine/settlement'
import { openBucket, openThreads } from '@affine/settlement/node'
import { epochRecord, epochText, type Output, printable, sampleText, share } from '@affine/terminal'

/** What is to be verified, and what of it is to be shown. */
export interface Asked extends Partial<Record<(typeof FILTERS)[number], string>> {
  /** Where the buckets are that were announced by name. */
  readonly base?: string | undefined
  readonly epoch?: number
  /** How many blocks are checked at a time. */
  readonly jobs: number
}

const FILTERS = ['validator', 'block', 'challenge', 'sample'] as const

/** What `Output.line` takes. */
type Line = readonly [text: string, record: object]

/** What is known once every epoch was recomputed. */
interface Findings {
  state: State | undefined
  shown: number
  flaws: number
  remarks: number
  /** Of the last epoch. */
  votes: Votes | undefined
  /** By validator, in how many epochs it was set aside. */
  readonly disagreed: Record<string, number>
}

/**
 * Recomputes a subnet, says what each epoch came to and what does not hold, and sets the exit code.
 * @throws Error when there is no epoch, or none of what was asked for.
 */
export async function verify(subnet: Subnet, asked: Asked, screen: Output): Promise<void> {
  const search = asked.block ?? asked.challenge ?? asked.sample
  const samples: Line[] = []
  const addSample = (sample: Sample, place: SamplePlace): void => {
    if (!isAsked(sample, place, asked)) return
    samples.push([sampleText(sample, place), { type: 'sample', ...place, sample }])
  }
  const findings: Findings = {
    state: undefined,
    shown: 0,
    flaws: 0,
    remarks: 0,
    votes: undefined,
    disagreed: {},
  }
  const onSample = search === undefined ? undefined : addSample
  for await (const settled of epochsOf(subnet, asked, onSample)) {
    addTo(findings, settled)
    const lines = samples.splice(0)
    if (search === undefined) lines.push([epochText(settled), epochRecord(settled)])
    if (asked.epoch !== undefined && asked.epoch !== settled.epoch) continue
    findings.shown += lines.length
    lines.push(...settled.flaws.map(flawLine), ...settled.remarks.map(remarkLine))
    for (const line of lines) screen.line(...line)
  }
  screen.line(...endOf(findings, search ?? `epoch ${asked.epoch}`))
  if (findings.flaws > 0) process.exitCode = 1
}

/** Every epoch, recomputed in as many threads as there are jobs; in none if there is one job. */
async function* epochsOf(
  { chain, network }: Subnet,
  { base, jobs }: Asked,
  onSample: RecomputeOptions['onSample'],
): AsyncGenerator<Recomputed, void> {
  const open: OpenBucket = (hotkey, url) => openBucket(hotkey, url, { base })
  const data = { chain, network, openBucket: open, onSample }
  if (jobs === 1) return yield* recompute(data)
  const threads = openThreads(jobs)
  try {
    yield* recompute({ ...data, check: threads.check, lanesAtOnce: jobs + 1 })
  } finally {
    await threads.close()
  }
}

/** `validator` alone asks for no samples: it narrows what the others ask for. */
function isAsked(sample: Sample, place: SamplePlace, asked: Asked): boolean {
  const here = {
    ...place,
    challenge: sample.challengeId,
    sample: `${sample.env}#${sample.index}`,
  }
  return FILTERS.every((name) => asked[name] === undefined || asked[name] === here[name])
}

function addTo(findings: Findings, { state, flaws, remarks, votes, report }: Recomputed): void {
  findings.state = state
  findings.votes = votes
  findings.flaws += flaws.length
  findings.remarks += remarks.length
  for (const [hotkey, { setAside }] of Object.entries(report.lanes)) {
    if (setAside.length === 0) continue
    findings.disagreed[hotkey] = (findings.disagreed[hotkey] ?? 0) + 1
  }
}

const flawLine = (flaw: Flaw): Line => [`  ✘ ${placed(flaw)}`, { type: 'flaw', ...flaw }]

const remarkLine = (remark: Remark): Line => [
  `  ! ${placed(remark)}`,
  { type: 'remark', ...remark },
]

const placed = ({ epoch, validator, code, detail }: Flaw | Remark): string =>
  `epoch ${epoch}, ${validator}: ${code}: ${printable(detail)}`

function endOf(findings: Findings, search: string): Line {
  const { state, shown, disagreed, flaws, remarks, votes } = findings
  if (state === undefined) throw new Error('the chain has not closed an epoch yet')
  if (shown === 0) throw new Error(`nothing matches ${search}`)
  const { ratio, epoch } = state
  const champion = state.champion?.hotkey ?? 'none'
  const root = stateRoot(state)
  const lines = [
    '',
    `champion   ${champion}`,
    `ratio      ${share(ratio)}`,
    `state root ${root}, governing epoch ${epoch}`,
    ...votesTexts(votes),
  ]
  for (const [hotkey, epochs] of Object.entries(disagreed)) {
    lines.push(`${hotkey}: its samples did not agree with the others' in ${epochs} epochs`)
  }
  if (remarks > 0) lines.push(`${remarks} ! in the epochs: reported, and no failure.`)
  lines.push(flaws === 0 ? 'Everything holds.' : `Not everything holds: ${flaws} ✘ above.`)
  const record = { type: 'end', champion, ratio, root, votes, disagreed, remarks, flaws }
  return [lines.join('\n'), record]
}

/** Whom the weights go to at the end of the last epoch. */
function votesTexts(votes: Votes | undefined): readonly string[] {
  if (votes === undefined) return []
  const { uid, validators, agreeing, others } = votes
  const given = `${agreeing} of ${validators} validators give uid ${uid} all their weight`
  const differing = others.map(({ validator, detail }) => `; ${validator}: ${printable(detail)}`)
  return [`weights    ${given}${differing.join('')}`]
}
