import type { S3Options } from '@affine/blocks/s3'
import type { Given, ToldBucket } from './told.ts'

/**
 * Where a validator's bucket is: in S3, or beside the others' in a folder. Undefined when it was
 * told neither, or not all that S3 needs.
 */
export function bucketOf(told: ToldBucket): Omit<S3Options, 'fetch' | 'now'> | string | undefined {
  const { s3Bucket: bucket, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = told
  const endpoint = endpointOf(told)
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return told.buckets
  const { s3Region: region, s3Style: style } = told
  return { endpoint, bucket, accessKeyId, secretAccessKey, region, style }
}

/** What is missing for a bucket, or is too much. */
export function bucketProblems(given: Given): readonly string[] {
  const { buckets, s3Bucket, s3AccessKeyId, s3SecretAccessKey } = given
  const isInFolder = buckets !== undefined
  const inS3 = endpointOf(given) ?? s3Bucket ?? s3AccessKeyId ?? s3SecretAccessKey
  const isInS3 = inS3 !== undefined
  const problems: string[] = []
  if (isInFolder === isInS3)
    problems.push(
      '--buckets or AFFINE_BUCKETS, or S3_BUCKET and what goes with it: expected one of the two',
    )
  if (isInS3) problems.push(...missingInS3(given))
  return problems
}

function missingInS3(given: Given): readonly string[] {
  const missing: string[] = []
  if (endpointOf(given) === undefined)
    missing.push('--s3-endpoint or S3_ENDPOINT or R2_ACCOUNT_ID: not given')
  if (given.s3Bucket === undefined)
    missing.push('--s3-bucket or S3_BUCKET or R2_BUCKET_ID: not given')
  if (given.s3AccessKeyId === undefined)
    missing.push('S3_ACCESS_KEY_ID or R2_WRITE_ACCESS_KEY_ID: not given')
  if (given.s3SecretAccessKey === undefined)
    missing.push('S3_SECRET_ACCESS_KEY or R2_WRITE_SECRET_ACCESS_KEY: not given')
  if (given.bucketUrl === undefined)
    missing.push(
      '--bucket-url or AFFINE_BUCKET_URL: not given, and nobody would find a bucket in S3',
    )
  return missing
}

/** The endpoint of S3, or that of an account at R2. */
function endpointOf({
  s3Endpoint,
  r2AccountId,
}: Pick<ToldBucket, 's3Endpoint' | 'r2AccountId'>): string | undefined {
  if (s3Endpoint !== undefined || r2AccountId === undefined) return s3Endpoint
  return `https://${r2AccountId}.r2.cloudflarestorage.com`
}
