import { type Bucket, BucketFailure } from '../src/index.ts'

/**
 * Returns the bucket as an application uses it. A write is repeated up to five times, after 250 ms
 * and then after twice as long each time, except after a final failure or a wrong path.
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
