import { BUCKET_NAME_EXPECTED, isBucketName, isBucketUrl } from '@affine/blocks/s3'
import { InvalidValue, textIn } from '@affine/terminal'

/** Reads an identifier or a key. */
export const readWord = textIn('printable ASCII without spaces', (text) => /^[!-~]+$/.test(text))

const MAX_URL_BYTES = 128
export const URL_EXPECTED = 'a plain URL of at most 128 bytes'

/** Reports whether a text is a URL that fits into a commitment. */
export const isPlainUrl = (text: string): boolean =>
  text.length <= MAX_URL_BYTES && isBucketUrl(text, true)

/** Reads a URL that fits into a commitment. */
export const readWebUrl = textIn(URL_EXPECTED, isPlainUrl)

/** Reads the name of a bucket in S3 or Google Cloud Storage. */
export const readBucketName = textIn(BUCKET_NAME_EXPECTED, isBucketName)

const YES = ['true', '1', 'yes', 'on', 'y', 'enabled']
const NO = ['false', '0', 'no', 'off', 'n', 'disabled']

/** Reads a switch. */
export function readSwitch(text: string): boolean {
  const word = text.toLowerCase()
  if (YES.includes(word)) return true
  if (NO.includes(word)) return false
  throw new InvalidValue('true or false')
}
