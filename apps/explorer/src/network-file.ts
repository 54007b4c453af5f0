/** A network, as its JSON file describes it. */
export interface NetworkFile {
  /**
   * URL of a chain's export (ends in `.json`), of `af localnet`, or of a node (`wss://`); or
   * `finney` or `test`.
   */
  readonly chain: string
  /** URL of the buckets that were announced by a plain name. */
  readonly buckets?: string
  readonly netuid?: number
  readonly firstEpoch?: number
  /**
   * Number of epochs to read, up to the chain's head, from an attested state that the page trusts.
   * Default: all, from the network's first state.
   */
  readonly last?: number
  /** Names by hotkey. */
  readonly names?: Readonly<Record<string, string>>
}

export type NetworkResult =
  | { readonly ok: true; readonly value: NetworkFile }
  | { readonly ok: false; readonly detail: string }

/** Expected value of a field, and its parser, which returns undefined for an invalid value. */
type FieldReader = readonly [expected: string, read: (given: unknown, base: string) => unknown]

/** Hosts that `connect-src` of the page's policy, in index.html, lists for http and ws. */
const LOOPBACK = /^(?:127\.0\.0\.1|localhost)$/
const HOSTS = 'without TLS only on 127.0.0.1, localhost or the site of this page'

/** Fields of a network file. The limits follow from 16-bit netuids and 32-bit block numbers. */
const FIELDS: Readonly<Record<string, FieldReader>> = {
  chain: [`finney, test, or a URL of ws, wss, http or https, ${HOSTS}`, parseChain],
  buckets: [`a URL of http or https, ${HOSTS}`, parseUrl],
  netuid: wholeNumber(0, 0xffff),
  firstEpoch: wholeNumber(0, 0xffff_ffff),
  last: wholeNumber(1, 0xffff_ffff),
  names: ['names by hotkey', parseNames],
}

/**
 * Reads the site's network file. URLs are resolved against `base`. Refuses values that are out of
 * range or malformed, and URLs that the page's policy forbids. Never throws.
 */
export function readNetworkFile(file: unknown, base: string): NetworkResult {
  const fields: Readonly<Record<string, unknown>> = Object(file)
  if (fields.chain === undefined)
    return { ok: false, detail: 'No network is named: add a network.json next to the page.' }
  const values: Record<string, unknown> = {}
  for (const [name, [expected, read]] of Object.entries(FIELDS)) {
    const given = fields[name]
    if (given === undefined) continue
    values[name] = read(given, base)
    if (values[name] === undefined)
      return { ok: false, detail: `"${name}" expected ${expected}, got ${JSON.stringify(given)}` }
  }
  return { ok: true, value: { chain: '', ...values } }
}

function parseChain(given: unknown, base: string): string | undefined {
  return given === 'finney' || given === 'test' ? given : parseUrl(given, base, /^(http|ws)s?:$/)
}

function parseUrl(given: unknown, base: string, protocols = /^https?:$/): string | undefined {
  if (typeof given !== 'string' || given === '' || !URL.canParse(given, base)) return undefined
  const { protocol, hostname, origin, href } = new URL(given, base)
  const isSecure = protocol === 'https:' || protocol === 'wss:'
  const isListed = isSecure || LOOPBACK.test(hostname) || origin === new URL(base).origin
  return protocols.test(protocol) && isListed ? href : undefined
}

function wholeNumber(least: number, most: number): FieldReader {
  const isValid = (given: unknown): boolean =>
    Number.isInteger(given) && Number(given) >= least && Number(given) <= most
  const read = (given: unknown): unknown => (isValid(given) ? given : undefined)
  return [`a whole number from ${least} to ${most}`, read]
}

function parseNames(given: unknown): unknown {
  const areStrings = Object.values(Object(given)).every((name) => typeof name === 'string')
  return typeof given === 'object' && areStrings ? given : undefined
}
