import type { Bucket } from '../src/index.ts'
import { BucketRefusal } from '../src/s3-bucket.ts'

/**
 * The bucket as an application uses it: a write is tried again, after 250 ms and then after twice
 * as long each time, unless that is pointless or the path is the caller's mistake.
 */
export function patient({ read, write }: Bucket, retries = 5): Bucket {
  const patientWrite: Bucket['write'] = async (path, bytes) => {
    const own = bytes.slice()
    let pauseMs = 250
    for (let left = retries; ; left--) {
      try {
        return await write(path, own)
      } catch (error) {
        const isPointless = error instanceof BucketRefusal || error instanceof RangeError
        if (left === 0 || isPointless) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      pauseMs *= 2
    }
  }
  return { read, write: patientWrite }
}
