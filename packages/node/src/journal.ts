import { isUtf8 } from 'node:buffer'
import { appendFile, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { canonicalize, type Json, parseCanonical } from '@affine/prng'
import { AlteredFile } from './altered-file.ts'
import { AppendOnlyFile, throwUnwritable } from './append-only-file.ts'
import { makeFolder, OWNERS, syncFolders } from './folders.ts'

/**
 * An append-only file of canonical JSON lines, open until it is disposed of. An entry counts when
 * `append` has resolved. Entries that wait together are synced together.
 */
export interface Journal extends AsyncDisposable {
  /** Entries of the file when it was opened. */
  readonly entries: readonly Json[]
  /** Appends an entry. Resolves when it is on disk. */
  append(entry: Json): Promise<void>
}

/**
 * Opens the journal at `path`. Creates a missing file, which only its owner can read. Cuts off a
 * torn last line, which a crash left before its entry was acknowledged. Does not change a rejected
 * file.
 *
 * @throws AlteredFile, as a rejection, if any other line is not canonical JSON, or if the file is
 *   one torn line that begins neither with `{` nor with a zero byte.
 */
export async function openJournal(path: string): Promise<Journal> {
  await makeFolder(dirname(path), 0o700)
  await appendFile(path, '', { mode: OWNERS }).catch(throwUnwritable(path))
  const bytes = await readFile(path)
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
  const entries = readEntries(whole, path)
  const wanted = 'expected a journal, whose first entry is an object'
  if (whole.length === 0 && !isTornEntry(bytes))
    throw new AlteredFile(path, 'NOT_A_JOURNAL', wanted)
  // A crash may have prevented the sync of a new file and its folder.
  await syncFolders(dirname(path), dirname(dirname(path)))
  const file = await AppendOnlyFile.open(path, whole.length)
  return {
    entries,
    append: (entry) => file.append(`${canonicalize(entry)}\n`),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  }
}

/**
 * Reports whether a crash may have left these bytes of a first entry: nothing, the start of an
 * object, or zeros, as on some file systems.
 */
const isTornEntry = ([first = 0]: Uint8Array): boolean => first === 0 || first === 0x7b

function readEntries(bytes: Buffer, path: string): readonly Json[] {
  // Decoding would replace bytes that are not UTF-8 by U+FFFD, and the line would be valid.
  if (!isUtf8(bytes)) throw new AlteredFile(path, 'NOT_UTF8', 'not UTF-8')
  const lines = bytes.toString('utf8').split('\n').slice(0, -1)
  return lines.map((line, i) => {
    const parsed = parseCanonical(line)
    if (parsed.ok) return parsed.value
    throw new AlteredFile(`${path}, line ${i + 1}`, parsed.code, parsed.detail)
  })
}
