import { isUtf8 } from 'node:buffer'
import { appendFile, mkdir, open, readFile, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolders } from '@affine/blocks/directory'
import { canonicalize, type Json, parseCanonical } from '@affine/prng'

/**
 * An append-only file of canonical JSON lines, open until it is disposed of. An entry counts once
 * `append` has resolved.
 */
export interface Journal extends AsyncDisposable {
  /** The entries that were there when the journal was opened, in the order of their writing. */
  readonly entries: readonly Json[]
  /** Resolves when the entry is on disk. Entries that wait together are synced together. */
  append(entry: Json): Promise<void>
}

/**
 * Opens the journal at `path`, making it if it is not there. A torn last line, left by a crash
 * before its entry was acknowledged, is cut off.
 *
 * @throws Error naming the line, when any other line is not canonical JSON: the file was altered.
 */
export async function openJournal(path: string): Promise<Journal> {
  await mkdir(dirname(path), { recursive: true })
  await appendFile(path, '')
  const bytes = await readFile(path)
  const whole = bytes.lastIndexOf(0x0a) + 1
  if (whole < bytes.length) await truncate(path, whole)
  const altered = 'The journal was altered; move it away to start anew'
  // Reading would put U+FFFD for bytes that are not UTF-8, and the line would pass.
  if (!isUtf8(bytes.subarray(0, whole))) throw new Error(`${path}: not UTF-8. ${altered}`)
  const lines = bytes.toString('utf8', 0, whole).split('\n').slice(0, -1)
  const entries = lines.map((line, i) => {
    const parsed = parseCanonical(line)
    if (parsed.ok) return parsed.value
    throw new Error(`${path}, line ${i + 1}: ${parsed.detail}. ${altered}`)
  })
  const file = await open(path, 'a')
  // A crash may have come between the writing of these entries, or of the file and its folder, and
  // their sync.
  await file.datasync()
  await syncFolders(dirname(path), dirname(dirname(path)))

  // What gathers while one write is under way is written by the next, in one go.
  let size = whole
  let waiting = ''
  let flushed: Promise<void> = Promise.resolve()
  const flush = async (): Promise<void> => {
    const batch = waiting
    waiting = ''
    try {
      await file.appendFile(batch)
      await file.datasync()
      size += Buffer.byteLength(batch)
    } catch (cause) {
      // Nobody was told of these entries. They can be read all the same, though no disk may have
      // them: away with them.
      await file.truncate(size).catch(() => undefined)
      throw new Error(`cannot write ${path}: ${(cause as Error).message}`, { cause })
    }
  }
  const append = (entry: Json): Promise<void> => {
    const line = `${canonicalize(entry)}\n`
    // A failed write leaves the file in doubt, so every later append fails with it.
    if (waiting === '') flushed = flushed.then(flush)
    waiting += line
    return flushed
  }
  return { entries, append, [Symbol.asyncDispose]: () => file.close() }
}
