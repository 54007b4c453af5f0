import type { HeardRequest } from '@affine/miners/node'
import { type Output, printable } from '@affine/terminal'

/** Longer lines of a prompt are rules; short lines are what differs between prompts. */
const MOST_CHARACTERS = 40
/** So much of a prompt is in the record; prompts of environments are shorter. */
const MOST_TOLD = 4096

/** How often a miner was asked, and how often it answered perfectly. */
interface Count {
  asked: number
  perfect: number
}

/** Prints and counts the requests to a miner. */
export class Requests {
  readonly #screen: Output
  readonly #stretchMs: number
  /** By environment. */
  readonly #counts: Record<string, Count> = {}
  /** Prompts of no environment, and requests without a prompt. */
  #unknown = 0
  #refused = 0
  /** Was a request printed in the current interval? How many came since, and the last one. */
  #isTold = false
  #more = 0
  #last: HeardRequest

  /** Prints at most one request in so many milliseconds; with 0 all of them. */
  constructor(screen: Output, stretchMs: number) {
    this.#screen = screen
    this.#stretchMs = stretchMs
  }

  add(exchange: HeardRequest): void {
    this.#count(exchange)
    if (this.#isTold) {
      this.#more += 1
      this.#last = exchange
    } else this.#tell(exchange, '')
  }

  /** Prints the totals. */
  end(): void {
    const [envs, unknown, refused] = [this.#counts, this.#unknown, this.#refused]
    const asked = Object.values(envs).reduce((sum, each) => sum + each.asked, unknown + refused)
    const lines = Object.entries(envs).map(([env, count]) => {
      return `  ${env}: ${count.asked} answered, ${count.perfect} perfectly`
    })
    if (unknown > 0) lines.push(`  ${unknown} of an unknown environment`)
    if (refused > 0) lines.push(`  ${refused} without a prompt, refused`)
    const text = [`asked ${asked} times`, ...lines].join('\n')
    this.#screen.line(text, { type: 'total', asked, envs, unknown, refused })
  }

  #count(exchange: HeardRequest): void {
    if (exchange === undefined) {
      this.#refused += 1
      return
    }
    const { env, isPerfect } = exchange
    if (env === undefined) {
      this.#unknown += 1
      return
    }
    const { asked, perfect } = this.#counts[env] ?? { asked: 0, perfect: 0 }
    this.#counts[env] = { asked: asked + 1, perfect: perfect + Number(isPerfect) }
  }

  /** Prints a request and begins an interval. */
  #tell(exchange: HeardRequest, others: string): void {
    const prompt = exchange?.prompt.slice(0, MOST_TOLD)
    const record = { type: 'request', ...exchange, prompt }
    this.#screen.line(`${exchangeText(exchange)}${others}`, record)
    if (this.#stretchMs === 0) return
    this.#isTold = true
    setTimeout(() => this.#endStretch(), this.#stretchMs).unref()
  }

  #endStretch(): void {
    const others = this.#more - 1
    this.#isTold = false
    this.#more = 0
    if (others >= 0) this.#tell(this.#last, others === 0 ? '' : `; ${others} more`)
  }
}

/** A request, its answer, and whether another answer was better. */
function exchangeText(exchange: HeardRequest): string {
  if (exchange === undefined) return '✘ a request without a prompt'
  const { env, prompt, reply, isPerfect } = exchange
  const asked = gistOf(prompt)
  if (env === undefined) return `✘ of an unknown environment: ${asked}`
  return `${env}  ${asked} → ${reply}${isPerfect ? '' : ', not the best'}`
}

/** A prompt without the rules around what is asked. */
function gistOf(prompt: string): string {
  const lines = prompt.split('\n').map((line) => line.trim())
  const short = lines.filter((line) => line.length <= MOST_CHARACTERS)
  const text = short.filter(Boolean).join(' / ')
  return printable(text === '' ? prompt : text, 80)
}
