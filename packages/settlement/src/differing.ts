import type { BlockFault } from '@affine/blocks'
import { type Copy, isOfOneHeight } from './copy.ts'
import type { LaneBlock } from './sources.ts'

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
export type UndatedFlaw = Omit<Flaw, 'epoch'>

/** A block of which a copy differs, and what each of its holders has. */
export interface Differing {
  readonly block: LaneBlock
  /** Its lane's validator first, then attesters. */
  readonly copies: readonly (readonly [holder: string, copy: Copy])[]
  readonly attesters: readonly string[]
}

/**
 * What is wrong with the copies of a block, but for those that buckets of `silent` answer for. What
 * a bucket has instead of it is the fault of `owners` alone; of all others, that they lack it.
 */
export function flawsIn(
  { block: { hash, header }, copies, attesters }: Differing,
  silent: ReadonlySet<string>,
  owners: ReadonlySet<string>,
): readonly UndatedFlaw[] {
  const what = `block ${hash} of ${header.validator}`
  const known = copies.filter(([holder]) => !(attesters.includes(holder) && silent.has(holder)))
  const signatures = known.flatMap(([, copy]) => (copy.is === 'whole' ? [copy.signature] : []))
  const isTwin = (copy: Copy): boolean => {
    if (copy.is === 'whole') return copy.signature !== signatures[0]
    return copy.is === 'other' && copy.header !== undefined && isOfOneHeight(copy.header, header)
  }
  const found = known.flatMap(([holder, copy]): readonly UndatedFlaw[] => {
    if (copy.is === 'silent' || copy.is === 'whole' || isTwin(copy)) return []
    if (copy.is === 'other' && owners.has(holder))
      return [{ validator: holder, code: copy.code, detail: `its copy of ${what}` }]
    // Only a validator that attested a lane has promised to serve it.
    if (!attesters.includes(holder)) return []
    const why = copy.is === 'missing' ? copy.why : 'something else is there'
    const detail = `it attested ${what}: ${why}`
    return [{ validator: holder, code: 'COPY_MISSING', detail }]
  })
  const [twin] = known.flatMap(([holder, copy]) => (isTwin(copy) ? [holder] : [])).sort()
  if (twin === undefined) return found
  // A second signature counts once, however many validators have the other copy.
  const detail = `${what} is not the only one at height ${header.height}: ${twin} has another`
  return [...found, { validator: header.validator, code: 'SIGNED_TWICE', detail }]
}
