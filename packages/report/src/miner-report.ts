import type { Side } from '@affine/envs'
import type { RecomputedEpoch } from '@affine/settlement'
import { describeEnding } from './course.ts'
import type { DuelFacts } from './duel-facts.ts'
import { describeEpoch, type EpochFacts } from './epoch-facts.ts'
import { DuelStats, type LostChallenge } from './miner-stats.ts'
import {
  describeMinerDuel,
  findLossCause,
  findResult,
  findSide,
  formatVerdicts,
  RESULT_TONES,
} from './sentences/duel-text.ts'
import { explainFrozen, formatEpoch, formatEpochs } from './sentences/epoch-text.ts'
import { formatFullLoss, formatLoss } from './sentences/sample-text.ts'
import type { QueueEntry } from './subnet-status.ts'
import type { HotkeyFormatter, Line } from './text.ts'

interface MinerReportOptions {
  readonly hotkey: string
  /** Prints lines or, with `--json`, their record. */
  readonly line: (lines: string | readonly Line[], record: object) => void
  /** Whether the epochs of each duel are printed, and every lost challenge in full. */
  readonly verbose: boolean
  readonly nameOf: HotkeyFormatter
}

/** A duel of the miner, and its epochs that were read, each without lanes and other duels. */
interface OwnDuel {
  readonly side: Side
  readonly duel: DuelFacts
  readonly epochs: readonly EpochFacts[]
}

/**
 * Reports on one miner: each duel when the duel or the report ends (result, cause, verdicts, a lost
 * challenge of each environment), a throne taken without a duel, and the miner's position.
 */
export class MinerReport {
  readonly stats: DuelStats<LostChallenge>
  readonly #options: MinerReportOptions
  /** Open duels, by contender. */
  readonly #own = new Map<string, OwnDuel>()
  #last: EpochFacts | undefined
  #parts = 0

  constructor(options: MinerReportOptions) {
    this.#options = options
    const { hotkey, verbose } = options
    const most = verbose ? Number.POSITIVE_INFINITY : 1
    this.stats = new DuelStats({ hotkey, most, keep: (lost) => lost })
  }

  /** Reports whether the miner has or had a duel, or took a throne. */
  get isKnown(): boolean {
    return this.#parts > 0 || this.#own.size > 0
  }

  /** Adds the next epoch, whose samples `stats` must already contain. */
  add(settled: RecomputedEpoch): void {
    this.stats.finish(settled)
    const facts = describeEpoch(settled)
    const { hotkey } = this.#options
    const { epoch, duels, seated } = facts
    this.#last = facts
    for (const duel of duels) {
      const side = findSide(hotkey, duel)
      if (side === undefined) continue
      const known = this.#own.get(duel.contender.hotkey)
      const before = known?.duel.start === duel.start ? known.epochs : []
      const own = { side, duel, epochs: [...before, { ...facts, lanes: [], duels: [duel] }] }
      this.#own.set(duel.contender.hotkey, own)
      if (duel.end) this.#sayDuel(own)
    }
    if (seated?.hotkey === hotkey) this.#say(this.#textOf(facts), { type: 'seated', epoch })
  }

  #textOf(facts: EpochFacts): string {
    const { hotkey, nameOf } = this.#options
    return formatEpoch(facts, (name) => (name === hotkey ? 'this miner' : nameOf(name)))
  }

  /** Reports the open duels, then the miner's current position: not registered without `place`. */
  end(place: QueueEntry | undefined): void {
    for (const own of [...this.#own.values()]) this.#sayDuel(own)
    const { hotkey, nameOf } = this.#options
    const now = { why: 'is not registered', ...place }
    const waits = place?.place !== undefined && this.#last ? explainFrozen(this.#last) : []
    const lacking = this.#last?.lacking
    const text = [`${nameOf(hotkey)} ${now.why}`, ...waits].join('\n')
    this.#say(text, { type: 'now', ...now, lacking })
  }

  /** Prints the first lines of a part of the report. A blank line separates two parts. */
  #say(lines: string | readonly Line[], record: object): void {
    const blank = this.#parts === 0 ? [] : ['']
    const { hotkey, line } = this.#options
    line([...blank, ...[lines].flat()], { hotkey, ...record })
    this.#parts += 1
  }

  #sayDuel({ side, duel, epochs }: OwnDuel): void {
    const contender = duel.contender.hotkey
    this.#own.delete(contender)
    const { line, nameOf, verbose } = this.#options
    const to = epochs.at(-1)?.epoch ?? 0
    const from = epochs[0]?.epoch ?? to
    const analyses = epochs.flatMap(({ duels }) => duels.flatMap(({ analyses }) => analyses))
    const { losses, ...counts } = this.stats.statsFor(side, contender)
    const rival = nameOf(duel[side === 'champion' ? 'contender' : 'champion'].hotkey)
    const began = from === duel.start ? '' : `, of a duel that began in epoch ${duel.start},`
    const where = ` against ${rival} in ${formatEpochs(from, to)}${began}`
    const ending = findResult(side, duel)
    const result = { role: side, ending, by: duel.end, cause: findLossCause(side, duel, counts) }
    const record = { type: 'duel', ...duel, ...result, from, to, ...counts }
    const [text = '', ...others] = describeMinerDuel(side, duel, counts, where)
    const tone = RESULT_TONES[ending]
    const verdicts = verbose ? [] : formatVerdicts(duel, analyses)
    const texts = [...others, ...verdicts].map(indent)
    this.#say([tone === undefined ? text : { text, tone }, ...texts], record)
    for (const facts of verbose ? epochs : []) {
      const { epoch, duels } = facts
      line(indent(this.#textOf(facts)), { type: 'epoch', epoch, role: side, duel: duels[0] })
    }
    const format = verbose ? formatFullLoss : formatLoss
    for (const loss of losses) {
      const lost = { role: side, ...loss, ending: describeEnding(loss.pair, side) }
      line(indent(format(lost)), { type: 'lost', ...lost })
    }
  }
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')
