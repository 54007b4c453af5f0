import { type BlockFault, blockPath, LIMITS, readBlock, statePath } from '@affine/blocks'
import { verify } from '@affine/chain/account'
import { type State, stateRoot } from '@affine/duel'
import { digestOfText, type Hash } from '@affine/prng'
import { STATE_BYTES } from './attested-state.ts'
import type { Sought } from './settle.ts'
import { sideBySide } from './side-by-side.ts'
import type { Failed, Kept, Source } from './sources.ts'

/** Something in the public data that is not as it should be: whose, where, and why. */
export interface Flaw {
  readonly epoch: number
  /** The validator whose lane or bucket it is. */
  readonly validator: string
  readonly code:
    | BlockFault
    | 'STATE_DIFFERS'
    | 'COPY_MISSING'
    | 'WRONG_ROOT_ATTESTED'
    | 'NEVER_SEALED'
    | 'SIGNED_TWICE'
  readonly detail: string
}

/** A flaw, but for its epoch. */
export type Found = Omit<Flaw, 'epoch'>

/** A lane's block as it was read, and the name of the source that had it. */
interface Original {
  readonly block: Kept
  readonly bytes: Uint8Array
  readonly from: string
}

/** Of those who have a copy of a block, whose to look at. */
export type Choose = (holders: readonly string[]) => readonly string[]

/** How copies are looked at. */
export interface Looking {
  /** Shared with those who read. */
  readonly failed: Failed
  /** Everybody's without. */
  readonly choose?: Choose | undefined
}

/**
 * Looks at the copies of what an epoch's decision was read from, in the buckets of those who answer
 * for them. Whoever attested a lane said that its own bucket serves it. Buckets are asked side by
 * side; one that did not answer for a block is not asked for another.
 */
export class Copies {
  readonly #sources: ReadonlyMap<string, Source>
  readonly #failed: Failed
  readonly #choose: Choose
  /** Why buckets did not answer, by their name. */
  readonly #silent = new Map<string, string>()
  /** The roots of states that buckets hold, by path. */
  readonly #roots: (readonly [path: string, holder: string, root: Hash])[] = []
  /** The states that are being read. */
  readonly #reading: Promise<void>[] = []
  readonly #found: Found[] = []

  constructor(sources: readonly Source[], { failed, choose = (holders) => holders }: Looking) {
    this.#sources = new Map(sources.map((source) => [source.name, source]))
    this.#failed = failed
    this.#choose = choose
  }

  /** Begins to read what each bucket has as the state that governs `epoch`, if it has one. */
  readStates(epoch: number): void {
    this.#reading.push(this.#readStates(epoch))
  }

  /** Never rejects. */
  async #readStates(epoch: number): Promise<void> {
    const path = statePath(epoch)
    const asked = [...this.#sources.values()].filter(({ name }) => !this.#failed.has(name))
    const kept = await sideBySide(asked, ({ name, read }) =>
      read(path, STATE_BYTES).catch(() => {
        this.#failed.add(name)
        return null
      }),
    )
    for (const [i, { name }] of asked.entries()) {
      const bytes = kept[i]
      if (bytes) this.#roots.push([path, name, digestOfText('state', bytes)])
    }
  }

  /** Compares the copies of a block that its lane's validator and attesters have: those chosen. */
  async compareBlock({ validator, attesters }: Sought, original: Original): Promise<void> {
    const isRead = (holder: string): boolean =>
      holder === original.from && this.#sources.has(holder)
    const holders = [...new Set([validator, ...attesters])].filter((each) => !isRead(each))
    const chosen = this.#choose(holders)
    const found = await sideBySide(chosen, (holder) => this.#compareCopy(holder, original))
    const flaws = found.flat().filter((flaw) => isAnswered(flaw, attesters))
    // Who signed twice did so once, however many have the other copy.
    const [twice] = flaws.filter(isSignedTwice)
    this.#found.push(...(twice ? [twice] : []), ...flaws.filter((flaw) => !isSignedTwice(flaw)))
  }

  /** What is wrong with the copy of `holder`, if anything is. */
  async #compareCopy(holder: string, { block, bytes }: Original): Promise<readonly Found[]> {
    const { hash, header } = block
    const copy = await this.#read(holder, blockPath(hash))
    const what = `block ${hash} of ${header.validator}`
    if (typeof copy === 'string') {
      const detail = `it attested ${what}: ${copy}`
      return [{ validator: holder, code: 'COPY_MISSING', detail }]
    }
    if (isSame(copy, bytes)) return []
    const read = readBlock(copy, { hash, verify })
    if (read.ok || isOfOneHeight(copy, block)) {
      const detail = `${what} is not the only one at height ${header.height}: ${holder} has another`
      return [{ validator: header.validator, code: 'SIGNED_TWICE', detail }]
    }
    return [{ validator: holder, code: read.code, detail: `its copy of ${what}` }]
  }

  /** The bytes that a bucket has, or why there are none. */
  async #read(holder: string, path: string): Promise<Uint8Array | string> {
    const source = this.#sources.get(holder)
    if (source === undefined) return 'it announced no bucket of its own that can be opened'
    const reason = this.#silent.get(holder)
    if (reason !== undefined) return reason
    try {
      return (await source.read(path, LIMITS.blockBytes)) ?? 'not there'
    } catch (error) {
      this.#silent.set(holder, (error as Error).message)
      return (error as Error).message
    }
  }

  /**
   * What did not hold, once it is known which states are right. Blocks in an order of their own:
   * lanes that are read side by side end as they like.
   */
  async flaws(states: readonly State[]): Promise<readonly Found[]> {
    await Promise.all(this.#reading)
    const found = [...this.#found].sort(byDetail)
    for (const state of states) {
      const expected = stateRoot(state)
      for (const [path, holder, root] of this.#roots) {
        if (path !== statePath(state.epoch) || root === expected) continue
        found.push({ validator: holder, code: 'STATE_DIFFERS', detail: path })
      }
    }
    return found
  }
}

const byDetail = (a: Found, b: Found): number => {
  const [one, other] = [a, b].map(({ validator, detail }) => `${validator} ${detail}`)
  return String(one) < String(other) ? -1 : 1
}

const isSignedTwice = ({ code }: Found): boolean => code === 'SIGNED_TWICE'

/** Only who attested a lane has said that it serves it. */
const isAnswered = ({ validator, code }: Found, attesters: readonly string[]): boolean =>
  code !== 'COPY_MISSING' || attesters.includes(validator)

/** Is it authentic, and signed for the same place as `block`? Then its signer signed twice. */
function isOfOneHeight(copy: Uint8Array, { header }: Kept): boolean {
  const read = readBlock(copy, { verify })
  if (!read.ok) return false
  const { genesis, netuid, validator, epoch, height } = read.value.header
  const isOnChain = genesis === header.genesis && netuid === header.netuid
  const isLanes = validator === header.validator && epoch === header.epoch
  return isOnChain && isLanes && height === header.height
}

/** Four bytes at a time: there are many copies. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  const [ours, theirs] = [viewOf(a), viewOf(b)]
  const whole = a.length & ~3
  for (let at = 0; at < whole; at += 4) {
    if (ours.getInt32(at) !== theirs.getInt32(at)) return false
  }
  return a.subarray(whole).every((byte, i) => byte === b[whole + i])
}

const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, length)
