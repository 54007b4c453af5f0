import { isUtf8 } from 'node:buffer'
import { appendFile, type FileHandle, open, readFile, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, syncFolders } from '@affine/blocks/directory'
import type { Notes } from '@affine/miners'
import { canonicalize, type Json, parseCanonical } from '@affine/prng'

/**
 * An append-only file of canonical JSON lines, open until it is disposed of. An entry counts once
 * `append` has resolved. Entries that wait together are synced together.
 */
export interface Journal extends Notes, AsyncDisposable {}

/**
 * Opens the journal at `path`, making it for its owner alone if it is not there. A torn last line,
 * left by a crash before its entry was acknowledged, is cut off. Of a file that is refused, nothing
 * is.
 *
 * @throws AlteredFile when any other line is not canonical JSON, or when the file is one torn line
 *   that could not have become an object.
 */
export async function openJournal(path: string): Promise<Journal> {
  await makeFolder(dirname(path), 0o700)
  await appendFile(path, '', { mode: 0o600 }).catch(unwritable(path))
  const bytes = await readFile(path)
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
  const entries = readEntries(whole, path)
  if (whole.length === 0 && !isTornEntry(bytes))
    throw new AlteredFile(
      path,
      'NOT_A_JOURNAL',
      'expected a journal, whose first entry is an object',
    )
  await truncate(path, whole.length)
  const file = await open(path, 'a')
  // A crash may have come between the writing of these entries, or of the file and its folder, and
  // their sync.
  try {
    await file.datasync().catch(unwritable(path))
    await syncFolders(dirname(path), dirname(dirname(path)))
  } catch (error) {
    await file.close()
    throw error
  }
  const writer = new Writer(file, path, whole.length)
  return {
    entries,
    append: (entry) => writer.append(`${canonicalize(entry)}\n`),
    [Symbol.asyncDispose]: () => file.close(),
  }
}

/** Throws an error that names the file: the system's error for an open file does not. */
const unwritable =
  (path: string) =>
  (cause: Error): never => {
    throw new Error(`cannot write ${path}: ${cause.message}`, { cause })
  }

/** A file of the validator's own that was altered. `fault` is the code of what is wrong with it. */
export class AlteredFile extends Error {
  readonly code = 'ALTERED_FILE'
  readonly fault: string
  constructor(path: string, fault: string, detail: string) {
    super(`${path}: ${detail}. The file was altered: restore it, or move it away`)
    this.fault = fault
  }
}

/** Could a crash have left this of a first entry? Some file systems leave zeros. */
const isTornEntry = ([first = 0]: Uint8Array): boolean => first === 0 || first === 0x7b

function readEntries(bytes: Buffer, path: string): readonly Json[] {
  // Reading would put U+FFFD for bytes that are not UTF-8, and the line would pass.
  if (!isUtf8(bytes)) throw new AlteredFile(path, 'NOT_UTF8', 'not UTF-8')
  const lines = bytes.toString('utf8').split('\n').slice(0, -1)
  return lines.map((line, i) => {
    const parsed = parseCanonical(line)
    if (parsed.ok) return parsed.value
    throw new AlteredFile(`${path}, line ${i + 1}`, parsed.code, parsed.detail)
  })
}

/**
 * Writes lines one after the other. Lines that come during a write are written together after it.
 * A write that fails costs its own lines alone: they are cut off before any other is written.
 */
class Writer {
  readonly #file: FileHandle
  readonly #path: string
  /** The size of the file up to the last acknowledged entry. */
  #size: number
  /** May there be something after it? */
  #isTorn = false
  #waiting = ''
  #flushed: Promise<void> = Promise.resolve()

  constructor(file: FileHandle, path: string, size: number) {
    this.#file = file
    this.#path = path
    this.#size = size
  }

  append(line: string): Promise<void> {
    if (this.#waiting === '')
      this.#flushed = this.#flushed.catch(() => {}).then(() => this.#flush())
    this.#waiting += line
    return this.#flushed
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = ''
    try {
      if (this.#isTorn) await this.#cut()
      this.#isTorn = true
      await this.#file.appendFile(batch)
      await this.#file.datasync()
      this.#size += Buffer.byteLength(batch)
      this.#isTorn = false
    } catch (cause) {
      // These entries were not acknowledged, but could be read although they may not be on disk.
      await this.#cut().catch(() => {})
      unwritable(this.#path)(cause as Error)
    }
  }

  async #cut(): Promise<void> {
    await this.#file.truncate(this.#size)
    this.#isTorn = false
  }
}
