import type { Sample, Scope } from '@affine/blocks'
import { canonicalize, type Json } from '@affine/prng'
import { openJournal } from './journal.ts'

/** A sample, and when it was taken, in milliseconds. */
export interface Entry {
  readonly at: number
  readonly sample: Sample
}

/** The samples of one lane on disk. */
export interface LaneJournal extends AsyncDisposable {
  /** Those that were there when it was opened. */
  readonly entries: readonly Entry[]
  /** What the second look had found by then: none of these miners' replies counts. */
  readonly changed: readonly string[] | undefined
  /** Resolves when the entry is on disk. */
  append(entry: Entry): Promise<void>
  /** The same for what the second look found, which is the last entry. */
  appendChanged(miners: readonly string[]): Promise<void>
}

/**
 * Opens the journal of the lane that `scope` describes, making it if it is not there.
 * @throws Error when it is another lane's, or was altered.
 */
export async function openLaneJournal(path: string, scope: Scope): Promise<LaneJournal> {
  const journal = await openJournal(path)
  try {
    const [heading, ...rest] = journal.entries
    if (heading === undefined) await journal.append(headingOf(scope))
    else if (canonicalize(heading) !== canonicalize(headingOf(scope)))
      throw new Error(`${path} belongs to another epoch, duel or chain: move it away`)
    const changed = changedIn(rest.at(-1))
    if (changed !== undefined) rest.pop()
    return {
      entries: rest.map((entry, i) => readEntry(entry, `${path}, line ${i + 2}`)),
      changed,
      append: (entry) => journal.append(entry as unknown as Json),
      appendChanged: (miners) => journal.append({ changed: miners }),
      [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
    }
  } catch (error) {
    await journal[Symbol.asyncDispose]()
    throw error
  }
}

const headingOf = ({ beacon, commitment, duel, epoch }: Scope): Json => ({
  beacon,
  commitment,
  duel: duel.id,
  epoch,
})

/** What the second look found, if an entry says that. */
function changedIn(entry: Json | undefined): readonly string[] | undefined {
  const { changed } = Object(entry) as { readonly changed?: readonly string[] }
  return Array.isArray(changed) ? changed : undefined
}

/** Checks only what the sampling relies on: the check of the whole lane checks each sample. */
function readEntry(entry: Json, place: string): Entry {
  const { at, sample } = entry as unknown as Entry
  if (Number.isSafeInteger(at) && isEpisode(sample?.champion) && isEpisode(sample.contender))
    return { at, sample }
  throw new Error(`${place}: not a sample. The journal was altered; move it away to start anew`)
}

const isEpisode = (episode: Sample['champion'] | undefined): boolean =>
  Array.isArray(episode?.messages)
