import type { Sample } from '@affine/blocks'
import { type State, stateRoot } from '@affine/duel'
import {
  type Flaw,
  type OpenBucket,
  type Recomputed,
  recompute,
  type SamplePlace,
  type Subnet,
} from '@affine/settlement'
import { openBucket } from '@affine/settlement/node'
import { epochRecord, epochText, type Output, printable, sampleText, share } from '@affine/terminal'

/** What is to be verified, and what of it is to be shown. */
export interface Asked extends Partial<Record<(typeof FILTERS)[number], string>> {
  /** Where the buckets are that were announced by name. */
  readonly base?: string | undefined
  readonly epoch?: number
}

const FILTERS = ['validator', 'block', 'challenge', 'sample'] as const

/** What `Output.line` takes. */
type Line = readonly [text: string, record: object]

/** What is known once every epoch was recomputed. */
interface Findings {
  state: State | undefined
  shown: number
  flaws: number
  /** By validator, in how many epochs it was set aside. */
  readonly disagreed: Record<string, number>
}

/**
 * Recomputes a subnet, says what each epoch came to and what does not hold, and sets the exit code.
 * @throws Error when there is no epoch, or none of what was asked for.
 */
export async function verify(
  { chain, network }: Subnet,
  asked: Asked,
  screen: Output,
): Promise<void> {
  const search = asked.block ?? asked.challenge ?? asked.sample
  const samples: Line[] = []
  const onSample = (sample: Sample, place: SamplePlace): void => {
    if (search === undefined || !isAsked(sample, place, asked)) return
    samples.push([sampleText(sample, place), { type: 'sample', ...place, sample }])
  }
  const open: OpenBucket = (hotkey, url) => openBucket(hotkey, url, { base: asked.base })
  const findings: Findings = { state: undefined, shown: 0, flaws: 0, disagreed: {} }
  for await (const settled of recompute({ chain, network, openBucket: open, onSample })) {
    addTo(findings, settled)
    const lines = samples.splice(0)
    if (search === undefined) lines.push([epochText(settled), epochRecord(settled)])
    if (asked.epoch !== undefined && asked.epoch !== settled.epoch) continue
    findings.shown += lines.length
    lines.push(...settled.flaws.map(flawLine))
    for (const line of lines) screen.line(...line)
  }
  screen.line(...endOf(findings, search ?? `epoch ${asked.epoch}`))
  if (findings.flaws > 0) process.exitCode = 1
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

function addTo(findings: Findings, { state, flaws, report }: Recomputed): void {
  findings.state = state
  findings.flaws += flaws.length
  for (const [hotkey, { setAside }] of Object.entries(report.lanes)) {
    if (setAside.length === 0) continue
    findings.disagreed[hotkey] = (findings.disagreed[hotkey] ?? 0) + 1
  }
}

const flawLine = (flaw: Flaw): Line => {
  const { epoch, validator, code, detail } = flaw
  const text = `  ✘ epoch ${epoch}, ${validator}: ${code}: ${printable(detail)}`
  return [text, { type: 'flaw', ...flaw }]
}

function endOf({ state, shown, disagreed, flaws }: Findings, search: string): Line {
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
  ]
  for (const [hotkey, epochs] of Object.entries(disagreed)) {
    lines.push(`${hotkey}: its samples did not agree with the others' in ${epochs} epochs`)
  }
  lines.push(flaws === 0 ? 'Everything holds.' : `Not everything holds: ${flaws} ✘ above.`)
  return [lines.join('\n'), { type: 'end', champion, ratio, root, disagreed, flaws }]
}
