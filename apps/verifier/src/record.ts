import type { Hash, Result } from '@affine/prng'
import type { Flaw, Remark, Votes } from '@affine/settlement'
import { z } from 'zod'

/*
 * What a run says with `--json`: a line that it begins with, lines of every epoch, and a line that
 * it ends with. So that ranges can be joined, what an epoch's lines say does not depend on where
 * the run began.
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
  /** Of the epochs right before, as far as they matter; null for none. Believed, as the state. */
  readonly champions: readonly (string | null)[]
  /** How many copies of each block were compared with the one read, drawn unless all were. */
  readonly copies: 'all' | number
}

/** One epoch, in words too; its other fields are an account of how it was decided. */
export interface EpochRecord {
  readonly type: 'epoch'
  readonly epoch: number
  /** Of the state that governs the next epoch. */
  readonly root: Hash
  /** Who held the throne in it. */
  readonly champion: string | null
  readonly text: string
}

/** Something of an epoch that does not hold, or is reported though no data is wrong. */
export type NoteRecord = ({ readonly type: 'flaw' } & Flaw) | ({ readonly type: 'remark' } & Remark)

/** What a run came to. */
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
  /** By validator, in how many epochs it was set aside. */
  readonly disagreed: Readonly<Record<string, number>>
  readonly remarks: number
  readonly flaws: number
  /** Of all lines, this one without it. */
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
  // As it is, not as it was read: the order of its keys is part of what was written.
  if (error === undefined) return { ok: true, value: value as OutputRecord }
  const [issue] = error.issues
  // No message: it may quote a stranger's key.
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
