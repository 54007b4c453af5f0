import type { Result } from '@affine/prng'
import { z } from 'zod'

/*
 * The output of a run with `--json`: a first line, lines for every epoch, and a last line. So that
 * ranges can be joined, the lines of an epoch do not depend on where the run began.
 */

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)
// By a pipe: zod measures whatever has a length, which throws for some objects.
const hotkey = z.string().pipe(z.string().max(100))
const note = { epoch: count, validator: hotkey, code: z.string(), detail: z.string() }

/** Where a run begins. */
const BEGIN = z.strictObject({
  type: z.literal('begin'),
  genesis: z.string(),
  netuid: count,
  /** The root of the network's first state: its rules and its first epoch are part of that. */
  first: hash,
  /** The first epoch, and the root of the state that governs it. */
  epoch: count,
  root: hash,
  /** Of the epochs just before, as far as they matter; null for none. Trusted, like the state. */
  champions: z.array(hotkey.nullable()),
  /** How many copies of each block were compared with the one read; drawn at random if not all. */
  copies: z.union([z.literal('all'), count]),
})

/** One epoch, also as a text. Further fields explain how it was decided. */
const EPOCH = z.looseObject({
  type: z.literal('epoch'),
  epoch: count,
  /** The root of the state that governs the next epoch. */
  root: hash,
  /** The miner that held the throne in it. */
  champion: hotkey.nullable(),
  text: z.string(),
})

/** Something in an epoch that does not hold. */
const FLAW = z.strictObject({ type: z.literal('flaw'), ...note })
/** Something that is reported although no data is wrong. */
const WARNING = z.strictObject({ type: z.literal('warning'), ...note })

/** The result of a run. */
const END = z.strictObject({
  type: z.literal('end'),
  /** The epoch that comes next, and the root of the state that governs it. */
  epoch: count,
  root: hash,
  /** A hotkey, or "none". */
  champion: hotkey,
  ratio: count,
  /** Of the last epoch. */
  votes: z
    .strictObject({
      uid: count,
      validators: count,
      agreeing: count,
      others: z.array(z.strictObject(note)).readonly(),
    })
    .optional(),
  /** For each validator: in how many epochs it was set aside. */
  disagreed: z.record(hotkey, count),
  warnings: count,
  flaws: count,
  /** The digest of all lines, with this line as it is without its digest. */
  digest: hash,
})

const LINE = z.discriminatedUnion('type', [BEGIN, EPOCH, FLAW, WARNING, END])

export type BeginRecord = z.output<typeof BEGIN>
export type EpochRecord = z.output<typeof EPOCH>
export type NoteRecord = z.output<typeof FLAW | typeof WARNING>
export type EndRecord = z.output<typeof END>
export type OutputRecord = z.output<typeof LINE>

/** Reads a line. Never throws. */
export function parseLine(text: string): Result<OutputRecord, 'BAD_LINE'> {
  const value = jsonOf(text)
  const { error } = LINE.safeParse(value)
  // The value itself, not zod's copy: the order of its keys is part of the digest.
  if (error === undefined) return { ok: true, value: value as OutputRecord }
  const [issue] = error.issues
  // Without zod's message, which may quote an untrusted key.
  const isTyped = value !== undefined && issue?.path[0] !== 'type'
  const detail = isTyped
    ? `${['line', ...(issue?.path ?? [])].join('.')}: ${issue?.code}`
    : 'it has no known type'
  return { ok: false, code: 'BAD_LINE', detail }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
