import {
  type Block,
  type BlockFault,
  blockPath,
  LIMITS,
  readBlock,
  statePath,
} from '@affine/blocks'
import { verify } from '@affine/chain'
import { encodeState } from '@affine/duel'
import type { Hash } from '@affine/prng'
import type { Settled } from './settle.ts'
import type { Source } from './sources.ts'

/** Something in the public data that is not as it should be: whose, where, and why. */
export interface Flaw {
  readonly epoch: number
  /** The validator whose lane or bucket it is. */
  readonly validator: string
  readonly code:
    | BlockFault
    | 'STATE_DIFFERS'
    | 'COPY_MISSING'
    | 'COPY_DIFFERS'
    | 'WRONG_ROOT_ATTESTED'
  readonly detail: string
}

/** A flaw, but for its epoch. */
export type Found = Omit<Flaw, 'epoch'>

/** A block that a bucket lacks. */
interface Missing {
  /** Whose lane it is in. */
  readonly validator: string
  /** Whose bucket it is. */
  readonly holder: string
  readonly hash: Hash
}

/**
 * Looks at every bucket's copy of what an epoch's decision was read from. Whoever attested a lane
 * said that its own bucket serves it; what a bucket has beyond that must be authentic all the same.
 */
export class Copies {
  readonly #sources: readonly Source[]
  readonly #missing: Missing[] = []
  readonly #found: Found[] = []

  constructor(sources: readonly Source[]) {
    this.#sources = sources
  }

  /** Compares every copy of a block of `validator` with the bytes that were read. */
  async compareBlock(validator: string, { hash }: Block, bytes: Uint8Array): Promise<void> {
    for (const source of this.#sources) {
      const holder = source.name
      const copy = await readQuietly(source, blockPath(hash))
      if (copy === null) this.#missing.push({ validator, holder, hash })
      if (copy === null || isSame(copy, bytes)) continue
      const block = readBlock(copy, { hash, verify })
      const code = block.ok ? 'COPY_DIFFERS' : block.code
      const detail = `its copy of block ${hash} of ${validator}`
      this.#found.push({ validator: holder, code, detail })
    }
  }

  /** What did not hold, once the epoch is settled: blocks, what attesters lack, and states. */
  async flaws({ report, state }: Settled): Promise<readonly Found[]> {
    const found = [...this.#found]
    for (const { validator, holder, hash } of this.#missing) {
      if (!report.lanes[validator]?.attesters.includes(holder)) continue
      const detail = `it attested block ${hash} of ${validator}`
      found.push({ validator: holder, code: 'COPY_MISSING', detail })
    }
    const path = statePath(state.epoch)
    const expected = new TextEncoder().encode(encodeState(state))
    for (const source of this.#sources) {
      const kept = await readQuietly(source, path)
      if (kept === null || isSame(kept, expected)) continue
      found.push({ validator: source.name, code: 'STATE_DIFFERS', detail: path })
    }
    return found
  }
}

/** Null when it cannot be had, for whatever reason. */
const readQuietly = (source: Source, path: string): Promise<Uint8Array | null> =>
  source.read(path, LIMITS.blockBytes).catch(() => null)

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
