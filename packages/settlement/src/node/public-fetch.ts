import { lookup as systemLookup } from 'node:dns'
import { Agent, type RequestOptions } from 'node:https'
import { isIP, type LookupFunction, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AGENT_OPTIONS, fetchBy } from '@affine/node/http'
import ipaddr from 'ipaddr.js'

/** Reports whether a text is a public IP address, by IANA's registries of special addresses. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false
  const place = ipaddr.process(address) // maps an IPv4 address in IPv6 back to IPv4
  if (place instanceof ipaddr.IPv4) return place.range() === 'unicast'
  // NAT64 leads to the IPv4 address in the last four bytes.
  if (place.match(ipaddr.parseCIDR('64:ff9b::/96')))
    return isPublic(place.toByteArray().slice(12).join('.'))
  return place.range() === 'unicast' && place.match(ipaddr.parseCIDR('2000::/3'))
}

const createRefusal = (host: string, at: string): Error =>
  new Error(`${host} is at ${at}, which is not a public address`)

/** Returns a lookup that fails if any address of a name is not public. */
function publicLookup(lookup: LookupFunction): LookupFunction {
  return (host, options, done) =>
    lookup(host, options, (error, addresses, family) => {
      if (error) return done(error, addresses, family)
      const all =
        typeof addresses === 'string' ? [addresses] : addresses.map((each) => each.address)
      const wrong = all.find((address) => !isPublic(address))
      done(wrong === undefined ? null : createRefusal(host, wrong), addresses, family)
    })
}

/**
 * Connects only to public addresses. Checks an address in the URL before, and the peer's address
 * after connecting.
 */
export class PublicAgent extends Agent {
  override createConnection(
    options: RequestOptions,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const host = options.host ?? ''
    if (isIP(host) && !isPublic(host)) {
      done?.(createRefusal(host, host), new Socket())
      return undefined
    }
    const socket = super.createConnection(options, done)
    if (!(socket instanceof Socket)) throw new Error('expected a socket of node:net')
    return socket.once('connect', () => {
      const { remoteAddress = 'nowhere' } = socket
      if (!isPublic(remoteAddress)) socket.destroy(createRefusal(host, remoteAddress))
    })
  }
}

/**
 * Returns a fetch for untrusted URLs: only https, and only public addresses. Addresses are checked
 * when the connection is made, so that a name cannot be changed after a check. `lookup` resolves
 * names, and `ca` contains the trusted certificates. Defaults: the system's.
 */
export function publicFetch({
  lookup = systemLookup,
  ca,
}: {
  readonly lookup?: LookupFunction
  readonly ca?: string
} = {}): typeof globalThis.fetch {
  const trust = ca === undefined ? AGENT_OPTIONS : { ...AGENT_OPTIONS, ca }
  return fetchBy({ 'https:': new PublicAgent({ ...trust, lookup: publicLookup(lookup) }) })
}
