/** What was given by name of a setting, or of a variable: texts, none of which counts if empty. */
export type Given = Readonly<Record<string, string | undefined>>

/** What a validator was told, each setting with the type that it needs. Times are in seconds. */
export interface Told extends ToldBucket {
  readonly network: string
  readonly fallback?: string | undefined
  readonly netuid?: number | undefined
  readonly firstEpoch?: number | undefined
  readonly chutesApiKey?: string | undefined
  readonly folder: string
  readonly emit?: boolean | undefined
  readonly dryRun?: boolean | undefined
  readonly replay?: boolean | undefined
  readonly overwrite?: boolean | undefined
  readonly concurrency: number
  readonly metrics?: number | undefined
  readonly metricsHost: string
  readonly stall: number
  readonly grace: number
}

/** What it was told of its bucket: `buckets` is a folder; the rest but the URL is for one in S3. */
export interface ToldBucket {
  readonly buckets?: string | undefined
  readonly bucketUrl?: string | undefined
  readonly s3Endpoint?: string | undefined
  readonly r2AccountId?: string | undefined
  readonly s3Bucket?: string | undefined
  readonly s3AccessKeyId?: string | undefined
  readonly s3SecretAccessKey?: string | undefined
  readonly s3Region: string
  readonly s3Style: 'path' | 'virtual'
}
