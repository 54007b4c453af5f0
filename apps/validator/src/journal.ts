import { isUtf8 } from 'node:buffer'
import { type FileHandle, mkdir, open, readFile, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { canonicalize, type Json, parseCanonical } from '@affine/prng'

/** An append-only file of canonical JSON lines, open for writing. An entry counts once `append` has resolved. */
export interface Journal {
  /** The entries that were there when the journal was opened, in the order of their writing. */
  readonly entries: readonly Json[]
  /** Resolves when the entry is on disk. Entries that wait together are synced together. */
  append(entry: Json): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the journal at `path`, making it if it is not there. A torn last line, left by a crash before its entry was
 * acknowledged, is cut off.
 *
 * @throws Error naming the line, when any other line is not canonical JSON: the file was altered.
 */
export async function openJournal(path: string): Promise<Journal> {
  await mkdir(dirname(path), { recursive: true })
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
  const whole = bytes.lastIndexOf(0x0a) + 1
  if (whole < bytes.length) await truncate(path, whole)
  // Reading would put U+FFFD for bytes that are not UTF-8, and the line would pass.
  if (!isUtf8(bytes.subarray(0, whole))) throw new Error(`${path}: not UTF-8. ${ALTERED}`)
  const entries = bytes
    .toString('utf8', 0, whole)
    .split('\n')
    .slice(0, -1)
    .map((line, i) => parseLine(line, i, path))
  const file = await open(path, 'a')
  await syncFolder(dirname(path))
  return { entries, append: groupCommit(file), close: () => file.close() }
}

function parseLine(line: string, index: number, path: string): Json {
  const parsed = parseCanonical(line)
  if (parsed.ok) return parsed.value
  throw new Error(`${path}, line ${index + 1}: ${parsed.detail}. ${ALTERED}`)
}

const ALTERED = 'The journal was altered; move it away to start anew'

/** Writes what has gathered while the last write was under way, in one go. */
function groupCommit(file: FileHandle): Journal['append'] {
  let waiting: string[] = []
  let flushed: Promise<void> = Promise.resolve()
  let scheduled: Promise<void> | undefined
  const flush = async (): Promise<void> => {
    const batch = waiting
    waiting = []
    scheduled = undefined
    await file.appendFile(batch.join(''))
    await file.datasync()
  }
  return (entry) => {
    waiting.push(`${canonicalize(entry)}\n`)
    // A failed write leaves the file in doubt, so every later append fails with it.
    scheduled ??= flushed = flushed.then(flush)
    return scheduled
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
