import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Agent, buildConnector } from 'undici'

/**
 * Is it the address of a host on the internet, by IANA's registries of special addresses? False for
 * what is no address.
 */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false
  const place = ipaddr.process(address) // an IPv4 address that is mapped into IPv6 becomes itself
  if (place instanceof ipaddr.IPv4) return place.range() === 'unicast'
  // NAT64 leads to the IPv4 address at the end.
  if (place.match(ipaddr.parseCIDR('64:ff9b::/96')))
    return isPublic(place.toByteArray().slice(12).join('.'))
  return place.range() === 'unicast' && place.match(ipaddr.parseCIDR('2000::/3'))
}

const refusalOf = (host: string, at: string): Error =>
  new Error(`${host} is at ${at}, which is not a public address`)

/** Looks a name up, and fails when any of its addresses is not public. */
function publicLookup(lookup: LookupFunction): LookupFunction {
  return (host, options, done) =>
    lookup(host, options, (error, found, family) => {
      if (error) return done(error, found, family)
      const wrong = addressesIn(found).find((address) => !isPublic(address))
      done(wrong === undefined ? null : refusalOf(host, wrong), found, family)
    })
}

function addressesIn(found: string | readonly LookupAddress[]): readonly string[] {
  if (typeof found === 'string') return [found]
  return found.map(({ address }) => address)
}

/**
 * Connects to public addresses alone: looks at one that stands in the URL before, and at every peer
 * once connected.
 */
export function publicConnector(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) => {
    const { hostname } = options
    if (isIP(hostname) && !isPublic(hostname)) return done(refusalOf(hostname, hostname), null)
    connect(options, (...ended) => {
      const [error, socket] = ended
      if (error || isPublic(socket.remoteAddress ?? '')) return done(...ended)
      done(refusalOf(hostname, socket.remoteAddress ?? 'nowhere'), null)
      socket.destroy()
    })
  }
}

/** `lookup`, and `ca`, the certificates to trust, are the system's if left out. */
export interface FetchOptions {
  readonly allowPrivate?: boolean
  readonly lookup?: LookupFunction
  readonly ca?: string
}

/**
 * A fetch for URLs from strangers: https only, to public addresses only, without redirects; looked
 * at where the connection is made, so that a name cannot be moved in between. With `allowPrivate`,
 * for local networks, also http and any address. It takes URLs, not Requests.
 */
export function publicFetch(options: FetchOptions = {}): typeof globalThis.fetch {
  const { allowPrivate = false } = options
  let opening: ReturnType<typeof openClient> | undefined
  return async (input, init) => {
    const { protocol, href } = new URL(String(input))
    const isAllowed = protocol === 'https:' || (allowPrivate && protocol === 'http:')
    if (!isAllowed) throw new TypeError(`"url" expected https, got ${protocol}`)
    opening ??= openClient(options)
    const { ask, dispatcher } = await opening
    const request = { ...init, dispatcher, redirect: 'error' } as const
    return ask(href, request)
  }
}

/** Loaded when first asked: it is a third of what a command loads. */
async function openClient(options: FetchOptions): Promise<Client> {
  const { Agent, buildConnector, fetch } = await import('undici')
  const dispatcher = new Agent({ connect: connectorOf(options, buildConnector) })
  // undici's types are its own; what is used of them is the same.
  return { ask: fetch as unknown as typeof globalThis.fetch, dispatcher }
}

interface Client {
  readonly ask: typeof globalThis.fetch
  readonly dispatcher: Agent
}

function connectorOf(
  options: FetchOptions,
  build: typeof buildConnector,
): buildConnector.connector {
  const { allowPrivate, lookup = systemLookup, ca } = options
  const trust = ca === undefined ? {} : { ca }
  if (allowPrivate) return build({ ...trust, lookup })
  return publicConnector(build({ ...trust, lookup: publicLookup(lookup) }))
}
