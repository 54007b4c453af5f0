import { constants, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/** A file's bytes, and what it was when it was opened. */
export interface ReadFile {
  readonly bytes: Buffer
  readonly stats: Stats
}

/**
 * Reads a file that a user named: a regular one, of at most `limit` bytes. Does not wait for who
 * would write to a pipe, and a device has no end.
 * @throws RangeError for what is no such file. Rejects when it cannot be opened or read.
 */
export async function readRegularFile(path: string, limit: number): Promise<ReadFile> {
  const odd = new RangeError(`${path} expected to be a regular file`)
  const opening = open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  await using file = await opening.catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENXIO' ? odd : error // a socket
  })
  const stats = await file.stat()
  if (!stats.isFile()) throw odd
  const stream = file.createReadStream({ end: limit, autoClose: false })
  const bytes = Buffer.concat(await stream.toArray())
  if (bytes.length > limit)
    throw new RangeError(`${path} expected to hold at most ${limit} bytes, got more`)
  return { bytes, stats }
}
