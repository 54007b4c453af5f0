import { constants, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Reads a regular file that a user named, of at most `limit` bytes. It does not wait for anyone to
 * write to a pipe, and does not read a device, which may have no end. Resolves with its bytes, and
 * its attributes when it was opened.
 * @throws RangeError, as a rejection, if the file is not regular or is larger. Rejects if it cannot
 *   be opened or read.
 */
export async function readRegularFile(
  path: string,
  limit: number,
): Promise<{ bytes: Buffer; stats: Stats }> {
  const notRegular = new RangeError(`${path} expected to be a regular file`)
  const opening = open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  await using file = await opening.catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENXIO' ? notRegular : error // a socket
  })
  const stats = await file.stat()
  if (!stats.isFile()) throw notRegular
  const stream = file.createReadStream({ end: limit, autoClose: false })
  const bytes = Buffer.concat(await stream.toArray())
  if (bytes.length > limit)
    throw new RangeError(`${path} expected to hold at most ${limit} bytes, got more`)
  return { bytes, stats }
}
