import { type Bucket, BucketFailure } from '../src/index.ts'

/**
 * The bucket as an application uses it: a write is tried again up to five times, after 250 ms and
 * then after twice as long each time, unless that is pointless or the path is the caller's mistake.
 */
export function patient({ read, write }: Bucket): Bucket {
  const patientWrite: Bucket['write'] = async (path, bytes) => {
    for (const pauseMs of [250, 500, 1000, 2000, 4000]) {
      try {
        return await write(path, bytes)
      } catch (error) {
        if (!(error instanceof BucketFailure) || error.isFinal) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    await write(path, bytes)
  }
  return { read, write: patientWrite }
}
