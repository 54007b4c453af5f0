/** An address of a host and a path alone. */
const WEB = /^https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/
const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** May it be looked up below a place of the reader's? */
export const isPlainName = (announced: string): boolean => PLAIN_NAME.test(announced)

/**
 * May the bucket be read that a validator announced with this address? An https URL, of a host and
 * a path alone; where `isLocal`, on a local network, http too. Protocol §6.4.
 */
export function isBucketUrl(announced: string, isLocal: boolean): boolean {
  const isAllowed = announced.startsWith('https:') || isLocal
  return isAllowed && WEB.test(announced) && URL.canParse(announced)
}
