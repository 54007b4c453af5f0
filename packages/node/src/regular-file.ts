import { constants, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Reads a regular file of at most `limit` bytes, with its attributes when it was opened. Neither
 * waits for a pipe's writer nor reads a device, which may have no end.
 * @throws RangeError, as a rejection, if the file is not regular or has more than `limit` bytes.
 *   Rejects if the file cannot be opened or read.
 */
export async function readRegularFile(
  path: string,
  limit: number,
): Promise<{ bytes: Buffer; stats: Stats }> {
  const notRegular = new RangeError(`${path} expected to be a regular file`)
  const opening = open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  await using file = await opening.catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENXIO' ? notRegular : error // ENXIO: a socket
  })
  const stats = await file.stat()
  if (!stats.isFile()) throw notRegular
  const stream = file.createReadStream({ end: limit, autoClose: false })
  const bytes = Buffer.concat(await stream.toArray())
  if (bytes.length > limit) throw new RangeError(`${path} expected to have at most ${limit} bytes`)
  return { bytes, stats }
}
