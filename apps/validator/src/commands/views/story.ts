import type { State } from '@affine/duel'
import type { QueueEntry, Recomputed } from '@affine/settlement'
import { crownedIn, epochText, type Output, printable, reportRecord } from '@affine/terminal'
import { adviceFor } from './advice.ts'
import type { Deeds } from './miner-lanes.ts'
import { lastOf, type OwnDuel, type Result, resultOf, withTurn } from './own-duel.ts'
import { answerText, namesFor, ruleTexts, sectionOf } from './own-duel-text.ts'
import { fullLossText, lossesOf, lossText } from './own-losses.ts'

/** Lost challenges of an environment that are shown. */
export const SHOWN = 3

interface Telling {
  readonly screen: Output
  /** Every lost challenge in full, instead of the last few. */
  readonly all: boolean
}

/**
 * Tells one miner of its duels, each once it has ended: the answer, what the rule saw, what was
 * lost; and of a throne that it took without one. Then where it is, and what follows for it.
 */
export class Story {
  readonly #hotkey: string
  readonly #telling: Telling
  /** The duel that goes on, and what the last one came to. */
  #duel: OwnDuel | undefined
  #result: Result | undefined
  #parts = 0

  constructor(hotkey: string, telling: Telling) {
    this.#hotkey = hotkey
    this.#telling = telling
  }

  /** Is there anything to tell of the miner, but where it is? */
  get isKnown(): boolean {
    return this.#parts > 0 || this.#duel !== undefined
  }

  /** Takes the next epoch, and what the miner did in its lanes. */
  add(settled: Recomputed, deeds: readonly Deeds[]): void {
    this.#duel = withTurn(this.#duel, this.#hotkey, { settled, deeds })
    if (settled.report.outcome !== undefined) this.#sayDuel()
    if (crownedIn(settled)?.hotkey === this.#hotkey) this.#sayCrowned(settled)
  }

  /** Tells of the duel that goes on; then where the miner is in the epoch of `state`. */
  end(place: QueueEntry | undefined, state: State): void {
    this.#sayDuel()
    const hotkey = this.#hotkey
    const now = { hotkey, why: 'is not registered', ...place }
    const advice = adviceFor({ hotkey, place, state, result: this.#result })
    const text = [
      `${printable(hotkey)} ${now.why}`,
      ...sectionOf(
        'What follows for you:',
        advice.map((each) => `- ${each}`),
      ),
    ]
    this.#say(text.join('\n'), { type: 'now', ...now, advice })
  }

  /** A part of its own: a blank line is between it and the part before. */
  #say(text: string, record: object): void {
    this.#telling.screen.line(`${this.#parts === 0 ? '' : '\n'}${text}`, record)
    this.#parts += 1
  }

  #sayDuel(): void {
    const own = this.#duel
    if (own === undefined) return
    const { screen } = this.#telling
    const result = resultOf(own)
    const { id, start, ratio, champion, contender } = own.duel
    const { hotkey, role, turns } = own
    const epochs = { start, from: turns[0].settled.epoch, to: lastOf(own).epoch }
    const record = { type: 'duel', hotkey, role, id, ...epochs, ratio, champion, contender }
    this.#say(answerText(own, result), { ...record, ...result })
    const texts = ruleTexts(own, result)
    for (const [i, turn] of turns.entries()) screen.line(texts[i] ?? '', turnRecord(own, turn))
    this.#sayLosses(own)
    this.#duel = undefined
    this.#result = result
  }

  #sayLosses(own: OwnDuel): void {
    const { screen, all } = this.#telling
    const losses = lossesOf(own, all ? Number.POSITIVE_INFINITY : SHOWN)
    const which = all ? '' : `, the last ${SHOWN} of each environment`
    const texts = losses.map(all ? fullLossText : lossText)
    for (const [i, text] of sectionOf(`What you lost${which}:`, texts).entries())
      screen.line(text, { type: 'lost', ...losses[i] })
  }

  #sayCrowned(settled: Recomputed): void {
    const answer =
      '☆ You have the throne without a duel: it was empty, and you were the first in the queue.'
    const saw = sectionOf('What the rule saw:', [epochText(settled, namesFor(this.#hotkey))])
    const record = { type: 'crowned', epoch: settled.epoch, hotkey: this.#hotkey }
    this.#say([answer, ...saw].join('\n'), record)
  }
}

function turnRecord({ role }: OwnDuel, { settled, deeds }: OwnDuel['turns'][number]): object {
  const { epoch, before, report } = settled
  const lanes = deeds.map(({ lost: _, ...each }) => each)
  return { type: 'epoch', epoch, role, duel: before.duel, lanes, report: reportRecord(report) }
}
