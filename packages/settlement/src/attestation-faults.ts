import { type Attestation, encodeBitmap, stateRoot } from '@affine/duel'
import { isMissing } from './checked-lane.ts'
import type { UndatedFlaw } from './differing.ts'
import type { Settled } from './settle.ts'

/** What voters have attested though it is not so. */
export function attestationFaults(settled: Settled): readonly UndatedFlaw[] {
  return [...wrongRoots(settled), ...neverSealed(settled), ...neverServed(settled)]
}

/** What a voter attests of the epoch. */
interface Attested {
  readonly hotkey: string
  readonly attest: Attestation
}

/** Attestations without weight are ignored: in the duel, or where none runs in the next. */
export function attestationsIn({ before, snapshot, quorum }: Settled): readonly Attested[] {
  const { weights } = before.duel ?? quorum
  return snapshot.validators.flatMap(({ hotkey, attest }) =>
    attest?.epoch === before.epoch && Object.hasOwn(weights, hotkey) ? [{ hotkey, attest }] : [],
  )
}

/** What voters attest must be the root of the state before. Protocol §8.3. */
function wrongRoots(settled: Settled): readonly UndatedFlaw[] {
  const root = stateRoot(settled.before)
  return attestationsIn(settled)
    .filter(({ attest }) => attest.stateRoot !== root)
    .map(({ hotkey, attest }) => {
      const advice = 'if others say so too, compare the releases that you and they run'
      const detail = `expected ${root}, got ${attest.stateRoot}; ${advice}`
      return { validator: hotkey, code: 'WRONG_ROOT_ATTESTED', detail }
    })
}

/** Bits stand for lanes that were sealed. Protocol §5.2. */
function neverSealed(settled: Settled): readonly UndatedFlaw[] {
  const { before, report } = settled
  if (before.duel === undefined) return []
  const sealed = Object.keys(report.lanes).filter((hotkey) => report.lanes[hotkey]?.sealed)
  const most = encodeBitmap(before.duel, new Set(sealed))
  const isMore = (bitmap: Uint8Array): boolean =>
    bitmap.some((byte, i) => (byte & ~(most[i] ?? 0)) !== 0)
  return attestationsIn(settled)
    .filter(({ attest }) => isMore(attest.bitmap))
    .map(({ hotkey }) => {
      const detail = 'it attested a lane that was never sealed'
      return { validator: hotkey, code: 'NEVER_SEALED', detail }
    })
}

/** If nobody has a lane, those that attested it do not serve it. Protocol §5.2. */
function neverServed({ lanes, report }: Settled): readonly UndatedFlaw[] {
  return [...lanes].flatMap(([validator, lane]) => {
    if (!isMissing(lane)) return []
    const detail = `it attested the lane of ${validator}, which nobody has`
    const attesters = report.lanes[validator]?.attesters ?? []
    return attesters.map((holder) => ({ validator: holder, code: 'COPY_MISSING' as const, detail }))
  })
}
