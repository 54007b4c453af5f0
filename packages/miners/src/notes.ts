import { canonicalize, type Json } from '@affine/prng'

/** What somebody plays by oneself, on disk or wherever it is kept, to be taken up again. */
export interface Notes {
  /** What was there when they were opened, in the order of its writing. */
  readonly entries: readonly Json[]
  /** Resolves when the entry is kept. */
  append(entry: Json): Promise<void>
}

type JsonFields = { readonly [key: string]: Json }

/**
 * What is played: the first entry of the notes, or what was asked for with what is drawn for it
 * now, which is their first entry from then on; undefined when they are of something else.
 */
export async function takeUp<Asked extends JsonFields, Drawn extends JsonFields>(
  notes: Notes,
  asked: Asked,
  drawn: Drawn,
): Promise<(Asked & Drawn) | undefined> {
  const fresh = { ...asked, ...drawn }
  if (notes.entries.length === 0) {
    await notes.append(fresh)
    return fresh
  }
  const [begun] = notes.entries as readonly (Asked & Drawn)[]
  if (begun === undefined) return undefined
  const names = Object.keys(fresh)
  const isSame = canonicalize({ ...begun, ...asked }) === canonicalize(begun)
  return isSame && names.every((name) => Object.hasOwn(begun, name)) ? begun : undefined
}

/** What is left to play. */
interface Playing<Entry> {
  readonly journal: Notes
  /** Under way at once. */
  readonly ahead: number
  readonly signal: AbortSignal
  /** The next to be played; undefined when there is nothing left. */
  readonly next: () => (() => Promise<Entry>) | undefined
  /** Hears what was played, once it is kept. */
  readonly add: (entry: Entry) => void
}

/**
 * Plays what is left, side by side. Rejects when `signal` aborts, or with the first failure, once
 * nothing is under way any more; what is in the journal then need not be played again.
 */
export async function playOn<Entry>(playing: Playing<Entry>): Promise<void> {
  const { journal, ahead, signal, next, add } = playing
  let hasFailed = false
  const work = async (): Promise<void> => {
    for (let play = next(); play !== undefined && !hasFailed; play = next()) {
      const entry = await play()
      signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
      await journal.append(entry as unknown as Json)
      add(entry)
    }
  }
  const noteFailure = (error: unknown): never => {
    hasFailed = true
    throw error
  }
  await allSettled(Array.from({ length: ahead }, () => work().catch(noteFailure)))
}

/** Resolves once all have; rejects with the first failure, but not before all have ended. */
export async function allSettled(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}
