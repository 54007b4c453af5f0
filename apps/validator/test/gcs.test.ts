import { s3Bucket } from '@affine/blocks/s3'
import { NODE_HOST } from '@affine/settlement/host'
import { bucketSuite } from '../../../packages/blocks/test/bucket-suite.ts'
import { patient } from '../../../packages/blocks/test/patient.ts'
import { GOOGLE } from '../src/buckets/backends.ts'
import { serveGoogle } from './google-server.ts'

bucketSuite('a bucket in Google Cloud Storage', async () => {
  const server = await serveGoogle()
  const close = (): Promise<void> => Promise.resolve(server[Symbol.asyncDispose]())
  const { now, fetch } = NODE_HOST
  const bucket = s3Bucket({ ...server.options, dialect: GOOGLE, now, fetch })
  return { bucket: patient(bucket), close }
})
