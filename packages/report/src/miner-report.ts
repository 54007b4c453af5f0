import type { State } from '@affine/duel'
import type { Recomputed, SamplePlace } from '@affine/settlement'
import { sampleEnding } from './course.ts'
import { epochFacts, reportRecord } from './epoch-facts.ts'
import { type MinerDuel, minerDuel } from './miner-duel.ts'
import { DuelStats, type Lost } from './miner-stats.ts'
import type { QueueEntry } from './queue.ts'
import { type MissingQuorum, missingQuorum } from './quorum.ts'
import { adviceFor } from './sentences/advice.ts'
import { answerText, verdictTexts } from './sentences/duel.ts'
import { epochsText, epochText } from './sentences/epoch.ts'
import { fullLossText, lossText } from './sentences/losses.ts'
import { quorumTexts } from './sentences/quorum.ts'
import { resultFor } from './sides.ts'
import { type NameOf, printable, shortHotkey } from './text.ts'
import { crownedIn } from './throne.ts'

/** How many lost challenges of each environment are shown. */
export const LOSSES_SHOWN = 3

interface Telling {
  /** Prints a text, which has a record for `--json`. */
  readonly line: (text: string, record: object) => void
  /** Every lost challenge in full, instead of the last few. */
  readonly all: boolean
  /** How the program is started, for advice. */
  readonly af: string
}

type LostSample = Pick<Lost<SamplePlace>, 'sample'> & SamplePlace

/** An epoch as a text and as a record. */
type EpochLines = readonly [text: string, record: object]

/**
 * Reports on one miner: each duel when it has ended (the result, what decided it, lost challenges),
 * and a throne that it took without a duel. At the end, its place now, and advice.
 */
export class MinerReport {
  readonly stats: DuelStats<LostSample>
  readonly #hotkey: string
  readonly #telling: Telling
  readonly #nameOf: NameOf
  /** The duel under way, its epochs, and the last duel that ended. */
  #duel: MinerDuel<LostSample> | undefined
  #epochs: EpochLines[] = []
  #last: MinerDuel<LostSample> | undefined
  #lacking: MissingQuorum | undefined
  #parts = 0

  constructor(hotkey: string, telling: Telling) {
    this.#hotkey = hotkey
    this.#telling = telling
    this.#nameOf = (name) => (name === hotkey ? 'this miner' : shortHotkey(name))
    const most = telling.all ? Number.POSITIVE_INFINITY : LOSSES_SHOWN
    this.stats = new DuelStats({
      hotkey,
      most,
      keep: ({ sample, place }) => ({ ...place, sample }),
    })
  }

  /** Is there anything to report about the miner, besides its place? */
  get isKnown(): boolean {
    return this.#parts > 0 || this.#duel !== undefined
  }

  /** Adds the next epoch; `stats` must have its samples already. */
  add(settled: Recomputed): void {
    const [hotkey, stats] = [this.#hotkey, this.stats]
    stats.finish(settled)
    this.#lacking = missingQuorum(settled)
    this.#duel = minerDuel(this.#duel, settled, { hotkey, stats })
    if (this.#duel) this.#epochs.push(this.#epochOf(settled, this.#duel))
    if (this.#duel?.duel.end !== undefined) this.#sayDuel()
    if (crownedIn(settled)?.hotkey === hotkey) this.#sayCrowned(settled)
  }

  #epochOf(settled: Recomputed, { role }: MinerDuel<LostSample>): EpochLines {
    const { epoch, before, report } = settled
    const lanes = this.stats.lanesIn(epoch, role)
    const record = { epoch, role, duel: before.duel, lanes, report: reportRecord(report) }
    return [epochText(epochFacts(settled), this.#nameOf), { type: 'epoch', ...record }]
  }

  /** Reports the duel under way, then the miner's place in the epoch of `state`. */
  end(place: QueueEntry | undefined, state: State): void {
    this.#sayDuel()
    const [hotkey, last] = [this.#hotkey, this.#last]
    const now = { hotkey, why: 'is not registered', ...place }
    const advice = adviceFor({ hotkey, place, state, last, af: this.#telling.af })
    const follows = sectionOf(
      'What to do next:',
      advice.map((each) => `- ${each}`),
    )
    const waits = place?.place === undefined ? [] : quorumTexts(this.#lacking)
    const text = [`${printable(hotkey)} ${now.why}`, ...waits, ...follows].join('\n')
    this.#say(text, { type: 'now', ...now, advice, lacking: this.#lacking })
  }

  /** Prints a part, with a blank line before it unless it is the first. */
  #say(text: string, record: object): void {
    this.#telling.line(`${this.#parts === 0 ? '' : '\n'}${text}`, record)
    this.#parts += 1
  }

  #sayDuel(): void {
    const own = this.#duel
    if (own === undefined) return
    this.#say([answerText(own, 'you'), ...spanTexts(own)].join('\n'), duelRecord(own))
    const texts = this.#epochs.map(([text]) => text)
    const said = sectionOf('What decided it:', texts, verdictTexts(own.duel))
    for (const [i, [, record]] of this.#epochs.entries()) this.#telling.line(said[i] ?? '', record)
    this.#sayLosses(own)
    this.#duel = undefined
    this.#epochs = []
    this.#last = own
  }

  #sayLosses({ role, stats }: MinerDuel<LostSample>): void {
    const { line, all } = this.#telling
    const losses = stats.losses.map((loss) => {
      return { role, ...loss, ending: sampleEnding(loss.sample, role) }
    })
    const which = all ? '' : `, the last ${LOSSES_SHOWN} of each environment`
    const texts = losses.map(all ? fullLossText : lossText)
    for (const [i, text] of sectionOf(`What you lost${which}:`, texts).entries())
      line(text, { type: 'lost', ...losses[i] })
  }

  #sayCrowned(settled: Recomputed): void {
    const answer =
      '☆ You have the throne without a duel: it was empty, and you were the first in the queue.'
    const saw = sectionOf('What decided it:', [epochText(epochFacts(settled), this.#nameOf)])
    const record = { type: 'crowned', epoch: settled.epoch, hotkey: this.#hotkey }
    this.#say([answer, ...saw].join('\n'), record)
  }
}

/** Which duel it is, and which epochs were read. */
function spanTexts({ role, duel, from, to }: MinerDuel<LostSample>): readonly string[] {
  const rival = role === 'champion' ? duel.contender : duel.champion
  const which = `  ${role}, against ${printable(rival.hotkey)}, ${epochsText(from, to)}`
  if (from === duel.start) return [which]
  const began = `  it began in epoch ${duel.start}: a larger --last counts its earlier replies too`
  return [which, began]
}

function duelRecord({ hotkey, role, duel, from, to, stats }: MinerDuel<LostSample>): object {
  const { id, start, ratio, champion, contender, wins, counted, needed, verdicts, end } = duel
  const { losses: _, ...counts } = stats
  const which = { hotkey, role, id, start, from, to, ratio, champion, contender }
  const result = { ending: resultFor(role, duel), by: end?.by, wins, counted, needed, verdicts }
  return { type: 'duel', ...which, ...result, ...counts }
}

/** Texts below a heading, with further lines after the last text. */
function sectionOf(
  heading: string,
  texts: readonly string[],
  after: readonly string[] = [],
): readonly string[] {
  return texts.map((text, i) => {
    const before = i === 0 ? [`\n${heading}`] : []
    const behind = i === texts.length - 1 ? after : []
    return [...before, ...[text, ...behind].map(indent)].join('\n')
  })
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')
