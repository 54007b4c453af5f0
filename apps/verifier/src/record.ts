import type { Hash, Result } from '@affine/prng'
import type { Flaw, Remark, Votes } from '@affine/settlement'
import { z } from 'zod'

/*
 * The output of a run with `--json`: a first line, lines for every epoch, and a last line. So that
 * ranges can be joined, the lines of an epoch do not depend on where the run began.
 */

/** Where a run begins. */
export interface BeginRecord {
  readonly type: 'begin'
  readonly genesis: string
  readonly netuid: number
  /** The root of the network's first state: its rules and its first epoch are part of that. */
  readonly first: Hash
  /** The first epoch, and the root of the state that governs it. */
  readonly epoch: number
  readonly root: Hash
  /** Of the epochs just before, as far as they matter; null for none. Trusted, like the state. */
  readonly champions: readonly (string | null)[]
  /** How many copies of each block were compared with the one read; drawn at random if not all. */
  readonly copies: 'all' | number
}

/** One epoch, also as a text. Further fields explain how it was decided. */
export interface EpochRecord {
  readonly type: 'epoch'
  readonly epoch: number
  /** The root of the state that governs the next epoch. */
  readonly root: Hash
  /** The miner that held the throne in it. */
  readonly champion: string | null
  readonly text: string
}

/** Something in an epoch that does not hold, or that is reported although no data is wrong. */
export type NoteRecord = ({ readonly type: 'flaw' } & Flaw) | ({ readonly type: 'remark' } & Remark)

/** The result of a run. */
export interface EndRecord {
  readonly type: 'end'
  /** The epoch that comes next, and the root of the state that governs it. */
  readonly epoch: number
  readonly root: Hash
  /** A hotkey, or "none". */
  readonly champion: string
  readonly ratio: number
  /** Of the last epoch. */
  readonly votes?: Votes | undefined
  /** For each validator: in how many epochs it was set aside. */
  readonly disagreed: Readonly<Record<string, number>>
  readonly remarks: number
  readonly flaws: number
  /** The digest of all lines, with this line as it is without its digest. */
  readonly digest: Hash
}

export type OutputRecord = BeginRecord | EpochRecord | NoteRecord | EndRecord

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)
const hotkey = z.string().max(100)
const note = { epoch: count, validator: hotkey, code: z.string(), detail: z.string() }
const votes = z.strictObject({
  uid: count,
  validators: count,
  agreeing: count,
  others: z.array(z.strictObject(note)),
})
const lineShape = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('begin'),
    genesis: z.string(),
    netuid: count,
    first: hash,
    epoch: count,
    root: hash,
    champions: z.array(hotkey.nullable()),
    copies: z.union([z.literal('all'), count]),
  }),
  z.looseObject({
    type: z.literal('epoch'),
    epoch: count,
    root: hash,
    champion: hotkey.nullable(),
    text: z.string(),
  }),
  z.strictObject({ type: z.literal('flaw'), ...note }),
  z.strictObject({ type: z.literal('remark'), ...note }),
  z.strictObject({
    type: z.literal('end'),
    epoch: count,
    root: hash,
    champion: hotkey,
    ratio: count,
    votes: votes.optional(),
    disagreed: z.record(hotkey, count),
    remarks: count,
    flaws: count,
    digest: hash,
  }),
])

/** Reads a line. Never throws. */
export function parseLine(text: string): Result<OutputRecord, 'BAD_LINE'> {
  const value = jsonOf(text)
  const { error } = lineShape.safeParse(value)
  // The value itself, not zod's copy: the order of its keys is part of the digest.
  if (error === undefined) return { ok: true, value: value as OutputRecord }
  const [issue] = error.issues
  // Without zod's message, which may quote an untrusted key.
  const detail = `${['line', ...(issue?.path ?? [])].join('.')}: ${issue?.code}`
  return { ok: false, code: 'BAD_LINE', detail }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
