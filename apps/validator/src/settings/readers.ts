import { BUCKET_NAME_EXPECTED, isBucketName, isBucketUrl } from '@affine/blocks/s3'
import { InvalidValue, textIn } from '@affine/terminal'

/** Reads an identifier or a key. */
export const word = textIn('printable ASCII without spaces', (text) => /^[!-~]+$/.test(text))

const MAX_URL_BYTES = 128
export const URL_EXPECTED = 'a plain URL, 128 bytes at most'

/** Is it a URL that fits in a commitment? */
export const isPlainUrl = (text: string): boolean =>
  text.length <= MAX_URL_BYTES && isBucketUrl(text, true)

/** Reads such a URL. */
export const web = textIn(URL_EXPECTED, isPlainUrl)

/** Reads the name of a bucket in S3 and in Google Cloud Storage. */
export const bucketName = textIn(BUCKET_NAME_EXPECTED, isBucketName)

const YES = ['true', '1', 'yes', 'on', 'y', 'enabled']
const NO = ['false', '0', 'no', 'off', 'n', 'disabled']

/** Reads a switch. */
export function yes(text: string): boolean {
  const said = text.toLowerCase()
  if (YES.includes(said)) return true
  if (NO.includes(said)) return false
  throw new InvalidValue('true or false')
}
