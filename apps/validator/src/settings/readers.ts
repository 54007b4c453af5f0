import { InvalidValue, textIn } from '@affine/terminal'

/** Reads an identifier or a key. */
export const word = textIn('printable ASCII without spaces', (text) => /^[!-~]+$/.test(text))

const PLAIN_URL = /^(?=.{1,128}$)https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/
export const URL_EXPECTED = 'a plain URL, 128 bytes at most'

/** Is it a URL that fits in a commitment? */
export const isPlainUrl = (text: string): boolean => PLAIN_URL.test(text) && URL.canParse(text)

/** Reads such a URL. */
export const web = textIn(URL_EXPECTED, isPlainUrl)

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** Reads the name of a bucket in S3 and in Google Cloud Storage. */
export const bucketName = textIn('3 to 63 of a-z, 0-9, "." and "-"', (text) =>
  BUCKET_NAME.test(text),
)

/** Reads a price in $. */
export function price(text: string): number {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text)) return Number(text)
  throw new InvalidValue('a price in $, as 0.015')
}

const YES = ['true', '1', 'yes', 'on', 'y', 'enabled']
const NO = ['false', '0', 'no', 'off', 'n', 'disabled']

/** Reads a switch. */
export function yes(text: string): boolean {
  const said = text.toLowerCase()
  if (YES.includes(said)) return true
  if (NO.includes(said)) return false
  throw new InvalidValue('true or false')
}
