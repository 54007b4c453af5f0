/** What answers with one of these codes or statuses mean. */
export interface S3Failure {
  /** May the same request succeed a little later? */
  readonly mayPass: boolean
  readonly advice: string
  readonly codes: readonly string[]
  /** Of answers whose code is in no row. */
  readonly statuses: readonly number[]
}

const UNKNOWN: S3Failure = {
  mayPass: false,
  advice: 'mend the endpoint, region or keys',
  codes: [],
  statuses: [],
}

const TROUBLE: S3Failure = {
  mayPass: true,
  advice: 'wait; if the service stays in trouble, look at its status page or its log',
  codes: ['InternalError', 'ServiceUnavailable', 'UnknownError', 'XMinioServerNotInitialized'],
  statuses: [],
}

/**
 * By code, since services give one code with several statuses: RequestTimeout comes with 400, 408
 * or 503, SlowDown with 429 or 503.
 *
 * Sources: "Error responses" of Amazon S3's API reference; "Error codes" of Cloudflare R2; "HTTP
 * status and error codes for XML" of Google Cloud Storage; MinIO's cmd/api-errors.go; Ceph's
 * src/rgw/rgw_common.cc; versitygw's s3err/s3err.go; for throttling, what clients try again:
 * minio-go's retry.go and aws-sdk-js-v3's service-error-classification.
 */
export const S3_FAILURES: readonly S3Failure[] = [
  TROUBLE,
  {
    mayPass: true,
    advice: 'wait; if the service stays busy, ask it for a higher rate of requests',
    codes: [
      'SlowDown',
      'SlowDownRead',
      'SlowDownWrite',
      'TooManyRequests',
      'Throttling',
      'ThrottlingException',
      'RequestThrottled',
      'RequestLimitExceeded',
    ],
    statuses: [429],
  },
  {
    mayPass: true,
    advice: 'wait; another request for the same file is under way',
    codes: ['OperationAborted', 'ConditionalRequestConflict'],
    statuses: [409],
  },
  {
    mayPass: true,
    advice:
      'look at the network between here and the service: the request came late, cut or altered',
    codes: [
      'RequestTimeout',
      'IncompleteBody',
      'ClientDisconnect',
      'BadDigest',
      'XAmzContentSHA256Mismatch',
    ],
    statuses: [408],
  },
  {
    mayPass: false,
    advice: 'make room in the service, or raise its quota',
    codes: ['QuotaExceeded', 'XMinioAdminBucketQuotaExceeded', 'XMinioStorageFull'],
    statuses: [507],
  },
  {
    mayPass: false,
    advice: 'let the service, and a proxy before it, take files of 8 MiB',
    codes: ['EntityTooLarge'],
    statuses: [413],
  },
  {
    mayPass: false,
    advice: 'set the clock of this machine',
    codes: ['RequestTimeTooSkewed', 'ExpiredRequest'],
    statuses: [],
  },
  {
    mayPass: false,
    advice: 'mend the keys, or let them read, list and write the bucket',
    codes: ['AccessDenied', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'Unauthorized'],
    statuses: [401, 403],
  },
  {
    mayPass: false,
    advice: 'look at your account with the service: it is suspended, unpaid or lacks this service',
    codes: [
      'AccountProblem',
      'AllAccessDisabled',
      'InvalidPayer',
      'NotEntitled',
      'NotSignedUp',
      'UserProjectAccountProblem',
      'UserSuspended',
    ],
    statuses: [402],
  },
  {
    mayPass: false,
    advice: 'make the bucket, or mend its name',
    codes: ['NoSuchBucket', 'InvalidBucketName'],
    statuses: [],
  },
  {
    mayPass: false,
    advice: 'no redirect is followed; mend the endpoint, region or style',
    codes: ['PermanentRedirect', 'TemporaryRedirect'],
    statuses: [301, 302, 303, 307, 308],
  },
  {
    mayPass: false,
    advice: 'take a service with conditional writes (If-None-Match)',
    codes: ['NotImplemented'],
    statuses: [501],
  },
]

/**
 * What a failure means: by its code, else by its status. A success with a code in it is one of the
 * service's own troubles, as other statuses from 500 on.
 */
export function failureOf(status: number, code: string): S3Failure {
  const known =
    S3_FAILURES.find(({ codes }) => codes.includes(code)) ??
    S3_FAILURES.find(({ statuses }) => statuses.includes(status))
  if (known !== undefined) return known
  return status < 300 || status >= 500 ? TROUBLE : UNKNOWN
}
