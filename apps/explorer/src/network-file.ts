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

/** The network that the page reads, and whether a link named it. */
export interface NamedNetwork {
  readonly file: NetworkFile
  readonly isByLink: boolean
  /** Network of the site's file, if the file names a network. */
  readonly own: NetworkFile | undefined
}

type NetworkRefusal = { readonly ok: false; readonly detail: string }
type NetworkResult<Value> = { readonly ok: true; readonly value: Value } | NetworkRefusal

type Fields = Readonly<Record<string, unknown>>

/** Reports whether `chain` is the name of a network, not a URL. */
export const isNetworkName = (chain: string): boolean => /^(finney|test)$/.test(chain)

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
}

const QUERY_NAMES = Object.keys(FIELDS)

/**
 * Chooses the network. A query with a `chain` describes the network completely. Otherwise the
 * site's file describes it, and the query may replace `last`. URLs are resolved against `base`.
 * Refuses values that are out of range or malformed, fields of a link that are unknown or unused,
 * and URLs that the page's policy forbids; ignores malformed names of hotkeys. Never throws.
 */
export function chooseNetwork(
  value: unknown,
  { search, base }: { readonly search: string; readonly base: string },
): NetworkResult<NamedNetwork> {
  const site = readFile(value, base)
  const own = site.ok ? site.value : undefined
  const query = Object.fromEntries(new URLSearchParams(search))
  const why = findQueryError(query)
  if (why !== undefined) return refuseLink(why)
  const hasChain = query.chain !== undefined
  if (!hasChain && own === undefined) return site as NetworkRefusal
  const link = readFile(hasChain ? query : { ...Object(value), ...query }, base)
  if (!link.ok) return refuseLink(link.detail)
  const isOwn = own !== undefined && isSameNetwork(link.value, own)
  return { ok: true, value: { file: isOwn ? own : link.value, isByLink: hasChain && !isOwn, own } }
}

/** Returns the reason that the field names of a query are refused, if there is one. */
function findQueryError(query: Fields): string | undefined {
  const names = Object.keys(query)
  const unknown = names.find((name) => !QUERY_NAMES.includes(name))
  if (unknown !== undefined) return `"${unknown}" is not one of ${QUERY_NAMES.join(', ')}`
  const lone = query.chain === undefined && names.find((name) => name !== 'last')
  return lone ? `"${lone}" requires "chain"` : undefined
}

const refuse = (detail: string): NetworkRefusal => ({ ok: false, detail })

const refuseLink = (why: string): NetworkRefusal => refuse(`The link cannot be followed: ${why}`)

function readFile(value: unknown, base: string): NetworkResult<NetworkFile> {
  const fields: Fields = Object(value)
  if (fields.chain === undefined)
    return refuse('No network is named: add a network.json, or ?chain= and ?buckets= to the URL.')
  const values: Record<string, unknown> = areNames(fields.names) ? { names: fields.names } : {}
  for (const [name, [expected, read]] of Object.entries(FIELDS)) {
    const given = fields[name]
    if (given === undefined) continue
    values[name] = read(given, base)
    if (values[name] === undefined)
      return refuse(`"${name}" expected ${expected}, got ${JSON.stringify(given)}`)
  }
  return { ok: true, value: { chain: '', ...values } }
}

function parseChain(given: unknown, base: string): string | undefined {
  return typeof given === 'string' && isNetworkName(given)
    ? given
    : parseUrl(given, base, /^(http|ws)s?:$/)
}

function parseUrl(given: unknown, base: string, protocols = /^https?:$/): string | undefined {
  if (typeof given !== 'string' || given === '' || !URL.canParse(given, base)) return undefined
  const { protocol, username, password, hostname, origin, href } = new URL(given, base)
  const isSecure = protocol === 'https:' || protocol === 'wss:'
  const isListed = isSecure || LOOPBACK.test(hostname) || origin === new URL(base).origin
  // URLs with a user name are refused, because a user name before an @ can look like the host.
  return protocols.test(protocol) && isListed && username + password === '' ? href : undefined
}

function wholeNumber(least: number, most: number): FieldReader {
  const read = (given: unknown): number | undefined => {
    const isText = typeof given === 'string' || typeof given === 'number'
    const number = isText && /^[0-9]+$/.test(`${given}`) ? Number(given) : Number.NaN
    return number >= least && number <= most ? number : undefined
  }
  return [`a whole number from ${least} to ${most}`, read]
}

function areNames(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every((name) => typeof name === 'string')
}

/** Reports whether two files describe the same network, ignoring names of hotkeys. */
function isSameNetwork(a: NetworkFile, b: NetworkFile): boolean {
  const [one, other] = [a, b].map(({ names: _, ...rest }) => JSON.stringify(rest))
  return one === other
}
