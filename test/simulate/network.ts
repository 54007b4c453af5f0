import type { Bucket } from '../../packages/blocks/src/index.ts'
import { digest, pcg64 } from '../../packages/prng/src/index.ts'
import type { OpenBucket, Source } from '../../packages/settlement/src/index.ts'
import type { Fault, Lie, Trouble } from './faults.ts'
import type { Machine } from './machine.ts'

/** Timeout of a read in milliseconds, as over HTTP. */
const TIMEOUT_MS = 30_000
/** Duration of a slow read in milliseconds, just below the timeout. */
const SLOW_MS = 29_000
const READ_MS = 400

/** Functions that report the faults which are active at the current block. */
export type Troubles = ReturnType<typeof troublesOf>

/** Returns the troubles of these faults at the block that `block` returns. */
export function troublesOf(faults: readonly Fault[], block: () => number) {
  return {
    has: (who: number, kind: Fault['kind'], how?: Trouble): boolean =>
      faults.some((fault) => {
        if (fault.who !== who || fault.kind !== kind || !('from' in fault)) return false
        const isNow = fault.from <= block() && block() < fault.to
        return isNow && (how === undefined || ('how' in fault && fault.how === how))
      }),
    lies: (who: number, how: Lie): boolean =>
      faults.some((fault) => fault.kind === 'lies' && fault.who === who && fault.how === how),
    /** Returns the failure of the n-th write of an epoch, or undefined. */
    write: (who: number, epoch: number, nth: number): 'lost' | 'repeated' | undefined => {
      const writes = faults.filter((fault) => fault.kind === 'write')
      return writes.find((each) => each.who === who && each.epoch === epoch && each.nth === nth)
        ?.how
    },
  }
}

/** Reports true for half of all arguments, always the same for equal arguments. */
const isHalf = (...parts: readonly (string | number)[]): boolean =>
  pcg64(BigInt(`0x${digest('half', ...parts).slice(0, 16)}`)).integers(0, 2) === 0

/** The buckets of all validators, in memory. */
export class Network {
  readonly #troubles: Troubles
  /** Files by owner and path. */
  readonly #files: readonly Map<string, Uint8Array>[]
  /** Number of writes in this epoch by owner. */
  #writes: number[]
  #epoch = 0

  constructor(count: number, troubles: Troubles) {
    this.#troubles = troubles
    this.#files = Array.from({ length: count }, () => new Map())
    this.#writes = this.#files.map(() => 0)
  }

  begin(epoch: number): void {
    this.#epoch = epoch
    this.#writes = this.#files.map(() => 0)
  }

  /** Returns a validator's own bucket. */
  own(owner: number, machine: Machine): Bucket {
    const files = this.#files[owner]!
    const put = (path: string, bytes: Uint8Array): void => {
      const known = files.get(path)
      if (known && !Buffer.from(known).equals(bytes))
        throw new Error(`${path} exists with other content`)
      files.set(path, bytes)
    }
    return {
      read: (path) =>
        machine.perform({
          place: 'bucket',
          ms: machine.jitter(READ_MS),
          act: () => files.get(path) ?? null,
        }),
      write: (path, bytes) => {
        this.#writes[owner]! += 1
        const fate = this.#troubles.write(owner, this.#epoch, this.#writes[owner]!)
        const act = (): void => {
          if (fate !== 'lost') put(path, bytes)
          if (fate !== undefined) throw new Error(`no answer to the write of ${path}`)
        }
        return machine.perform({ place: 'bucket', ms: machine.jitter(READ_MS), act })
      },
    }
  }

  /** Writes a file into a bucket immediately, as liars do. */
  slip(owner: number, path: string, bytes: Uint8Array): void {
    this.#files[owner]!.set(path, bytes)
  }

  /** Returns the bucket of `owner` as the validator `reader` reads it. */
  source(reader: number, owner: number, machine: Machine): Pick<Source, 'read'> {
    const troubles = this.#troubles
    const read: Source['read'] = (path) => {
      const isSlow = troubles.has(owner, 'bucket', 'slow')
      const isGone = troubles.has(owner, 'bucket', 'gone') || troubles.has(reader, 'network')
      const isSlowly = troubles.lies(owner, 'serves slowly') && isHalf(owner, 'slowly', reader)
      const servedMs = isSlowly ? SLOW_MS : machine.jitter(READ_MS)
      const ms = isSlow ? TIMEOUT_MS : servedMs
      const act = (): Uint8Array | null => {
        if (isSlow || isGone) throw new Error('no answer')
        return this.#serve(owner, path, reader)
      }
      return machine.perform({ place: 'peers', ms, act })
    }
    return { read }
  }

  /**
   * Returns the buckets as outsiders read them: affected by lies, not by troubles. `owners` are the
   * validators' hotkeys.
   */
  strangers(owners: readonly string[]): OpenBucket {
    return (hotkey, url) => {
      const owner = owners.indexOf(url)
      if (owner < 0) return null
      return { name: hotkey, read: async (path) => this.#serve(owner, path, -1) }
    }
  }

  /** Returns the files that outsiders can read, each with its owner's index and its path. */
  served(): readonly (readonly [owner: number, path: string, bytes: Uint8Array])[] {
    const readable = (owner: number, path: string) => {
      try {
        return this.#serve(owner, path, -1)
      } catch {
        return null
      }
    }
    return this.#files.flatMap((files, owner) =>
      [...files.keys()].flatMap((path) => {
        const bytes = readable(owner, path)
        return bytes === null ? [] : [[owner, path, bytes] as const]
      }),
    )
  }

  #serve(owner: number, path: string, reader: number): Uint8Array | null {
    const lies = (how: Lie): boolean => this.#troubles.lies(owner, how)
    const bytes = this.#files[owner]!.get(path) ?? null
    if (bytes === null) return null
    if (lies('forgets files') && isHalf(owner, path)) return null
    if (lies('serves half') && isHalf(owner, reader)) throw new Error('no answer')
    if (lies('serves garbage') && isHalf(owner, reader)) return garble(bytes)
    return bytes
  }
}

function garble(bytes: Uint8Array): Uint8Array {
  const garbage = bytes.slice()
  garbage[bytes.length >> 1]! ^= 1
  return garbage
}
