import type { Recomputed, SamplePlace } from '@affine/settlement'
import { sampleEnding } from './course.ts'
import type { DuelFacts } from './duel-facts.ts'
import { type EpochFacts, epochFacts, epochRecord } from './epoch-facts.ts'
import { DuelStats, type Lost } from './miner-stats.ts'
import { minerDuelText, verdictTexts } from './sentences/duel-text.ts'
import { epochsText, epochText, quorumTexts } from './sentences/epoch-text.ts'
import { fullLossText, lossText } from './sentences/sample-text.ts'
import { resultFor, type Side, sideOf } from './sides.ts'
import type { QueueEntry } from './subnet-status.ts'
import { printable, shortHotkey } from './text.ts'

/** How many lost challenges of each environment are shown. */
export const LOSSES_SHOWN = 3

/** A duel of the miner, as far as it was read: its epochs, each as a text and as a record. */
interface OwnDuel {
  readonly side: Side
  readonly duel: DuelFacts
  readonly from: number
  readonly to: number
  readonly epochs: readonly (readonly [text: string, record: object])[]
}

/**
 * Reports on one miner: each duel when it has ended (the result, what decided it, lost challenges),
 * and a throne that it took without a duel; at the end, its place now.
 */
export class MinerReport {
  readonly stats: DuelStats<Pick<Lost<SamplePlace>, 'sample'> & SamplePlace>
  readonly #hotkey: string
  readonly #line: (text: string, record: object) => void
  readonly #all: boolean
  /** The duel under way. */
  #own: OwnDuel | undefined
  #last: EpochFacts | undefined
  #parts = 0

  /** `line` prints a text, which has a record for `--json`; `all` lost challenges are in full. */
  constructor(
    hotkey: string,
    { line, all }: { line: (text: string, record: object) => void; all: boolean },
  ) {
    this.#hotkey = hotkey
    this.#line = line
    this.#all = all
    const most = all ? Number.POSITIVE_INFINITY : LOSSES_SHOWN
    this.stats = new DuelStats({
      hotkey,
      most,
      keep: ({ sample, place }) => ({ ...place, sample }),
    })
  }

  /** Is there anything to report about the miner, besides its place? */
  get isKnown(): boolean {
    return this.#parts > 0 || this.#own !== undefined
  }

  /** Adds the next epoch; `stats` must have its samples already. */
  add(settled: Recomputed): void {
    this.stats.finish(settled)
    const facts = epochFacts(settled)
    const { epoch, duel, crowned } = facts
    this.#last = facts
    const text = epochText(facts, (name) =>
      name === this.#hotkey ? 'this miner' : shortHotkey(name),
    )
    const side = sideOf(this.#hotkey, duel)
    if (duel && side) {
      const { from, epochs } = this.#own ?? { from: epoch, epochs: [] }
      const record = { ...epochRecord(settled), role: side, duel: settled.before.duel }
      this.#own = { side, duel, from, to: epoch, epochs: [...epochs, [text, record]] }
      if (duel.end) this.#sayDuel()
    }
    if (crowned?.hotkey === this.#hotkey) this.#say(text, { type: 'crowned', epoch })
  }

  /** Reports the duel under way, then the miner's place now. */
  end(place: QueueEntry | undefined): void {
    this.#sayDuel()
    const now = { hotkey: this.#hotkey, why: 'is not registered', ...place }
    const waits = place?.place !== undefined && this.#last ? quorumTexts(this.#last) : []
    const lacking = this.#last?.lacking
    const text = [`${printable(this.#hotkey)} ${now.why}`, ...waits].join('\n')
    this.#say(text, { type: 'now', ...now, lacking })
  }

  /** Prints the first line of a part, with a blank line before it unless it is the first. */
  #say(text: string, record: object): void {
    this.#line(`${this.#parts === 0 ? '' : '\n'}${text}`, { hotkey: this.#hotkey, ...record })
    this.#parts += 1
  }

  #sayDuel(): void {
    if (this.#own === undefined) return
    const { side, duel, from, to, epochs } = this.#own
    this.#own = undefined
    const { losses, ...counts } = this.stats.of(side)
    const rival = side === 'champion' ? duel.contender : duel.champion
    const began = from === duel.start ? '' : `, of a duel that began in epoch ${duel.start}`
    const which = `${side}, against ${printable(rival.hotkey)}, ${epochsText(from, to)}${began}`
    const texts = [which, ...verdictTexts(duel)].map((each) => `  ${each}`)
    const result = { role: side, ending: resultFor(side, duel), by: duel.end?.by, from, to }
    const record = { type: 'duel', ...duel, ...result, ...counts }
    this.#say([minerDuelText(side, duel, { ...counts, losses }), ...texts].join('\n'), record)
    for (const [text, epoch] of epochs) this.#line(indent(text), epoch)
    for (const loss of losses) {
      const lost = { role: side, ...loss, ending: sampleEnding(loss.sample, side) }
      const text = `lost ${this.#all ? fullLossText(lost) : lossText(lost)}`
      this.#line(indent(text), { type: 'lost', ...lost })
    }
  }
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')
