import { isUtf8 } from 'node:buffer'
import { appendFile, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { canonicalize, type Json, parseCanonical } from '@affine/prng'
import { AlteredFile } from './altered-file.ts'
import { AppendOnlyFile, unwritable } from './append-only-file.ts'
import { makeFolder, OWNERS, syncFolders } from './folders.ts'

/**
 * An append-only file of canonical JSON lines, open until it is disposed of. An entry counts once
 * `append` has resolved. Entries that wait together are synced together.
 */
export interface Journal extends AsyncDisposable {
  /** The entries of the file when it was opened. */
  readonly entries: readonly Json[]
  /** Resolves once the entry is on disk. */
  append(entry: Json): Promise<void>
}

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
  await appendFile(path, '', { mode: OWNERS }).catch(unwritable(path))
  const bytes = await readFile(path)
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
  const entries = readEntries(whole, path)
  if (whole.length === 0 && !isTornEntry(bytes))
    throw new AlteredFile(
      path,
      'NOT_A_JOURNAL',
      'expected a journal, whose first entry is an object',
    )
  // A crash may have come between the making of the file and its folder, and their sync.
  await syncFolders(dirname(path), dirname(dirname(path)))
  const file = await AppendOnlyFile.open(path, whole.length)
  return {
    entries,
    append: (entry) => file.append(`${canonicalize(entry)}\n`),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
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
