import { createServer as createHttp, Agent as HttpAgent, type RequestListener } from 'node:http'
import { Agent, type AgentOptions, createServer as createHttps } from 'node:https'
import { type LookupFunction, type Server, setDefaultAutoSelectFamily } from 'node:net'
import { httpBucket } from '@affine/blocks'
import { AGENT_OPTIONS, fetchBy } from '@affine/node/http'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { closeServers, listen } from '../../../test/web-server.ts'
import { words } from '../../../test/words.ts'
import { isPublic, PublicAgent, publicFetch } from '../src/node/public-fetch.ts'
import { selfSigned } from './certificate.ts'

const { key, cert: ca } = selfSigned('bucket.test')
let connections = 0
let requests: string[] = []

const answer: RequestListener = ({ url = '' }, response) => {
  requests.push(url)
  if (url === '/redirects/x') response.writeHead(302, { location: '/x' }).end()
  else response.end('here')
}

/** Starts a server and resolves with its port. */
async function startCounted(server: Server): Promise<string> {
  server.on('connection', () => {
    connections += 1
  })
  return new URL(await listen(server)).port
}

const http = await startCounted(createHttp(answer))
const https = await startCounted(createHttps({ key, cert: ca }, answer))
afterAll(closeServers)
beforeEach(() => {
  connections = 0
  requests = []
})

/** Returns a lookup that resolves every name to these addresses, and the names looked up. */
function names(...addresses: readonly string[]): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = []
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const lookup: LookupFunction = (host, { all }, done) => {
    asked.push(host)
    if (all) done(null, found)
    else done(null, found[0]!.address, found[0]!.family)
  }
  return { lookup, asked }
}

const causeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it was fetched',
    (error: Error & { cause?: Error }) => error.cause?.message ?? error.message,
  )

const PRIVATE_V4 = words(`
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1
  169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1
  192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255
  240.0.0.1 255.255.255.254 255.255.255.255
`)
const PRIVATE_V6 = words(`
  :: ::1 ::2 fe80::1 fe80::1%lo febf::1 fec0::1 fc00::1 fd12:3456::1 ff02::1 ff0e::1 100::1
  2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:808:808::1 3fff::1 5f00::1 4000::1
  64:ff9b:1::808:808 ::808:808 ::ffff:0:808:808
`)
const PUBLIC_V4 = words(`
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
  172.15.255.255 172.32.0.0 192.167.255.255 198.17.0.1 223.255.255.255
`)
const PUBLIC_V6 = words('2606:4700:4700::1111 2a00:1450::1 2001:4860:4860::8888 2400::1')
const NO_ADDRESSES = ['', 'localhost', '8.8.8', '0x8.8.8.8', '134744072', '08.8.8.8', '[2400::1]']
const hex = (v4: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

describe('an address', () => {
  it.each([...PRIVATE_V4, ...PRIVATE_V6, ...NO_ADDRESSES])('is not public: %j', (address) => {
    expect(isPublic(address)).toBe(false)
  })

  it('is not public if it maps or translates a private one, or is a tunnel', () => {
    for (const address of PRIVATE_V4)
      for (const prefix of ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::', '::ffff:0:'])
        for (const text of [address, hex(address)]) expect(isPublic(prefix + text)).toBe(false)
    for (const address of [...PRIVATE_V4, ...PUBLIC_V4])
      expect(isPublic(`2002:${hex(address)}::1`)).toBe(false)
  })

  it.each([...PUBLIC_V4, ...PUBLIC_V6])('is public: %s', (address) => {
    expect(isPublic(address)).toBe(true)
  })

  it.each(PUBLIC_V4)('is public, mapped into IPv6 and behind NAT64: %s', (address) => {
    for (const prefix of ['::ffff:', '64:ff9b::']) expect(isPublic(prefix + address)).toBe(true)
  })
})

describe('a URL of a stranger', () => {
  const literals = words(`
    127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1.
    １２７.0.0.1 127。0。0。1 %31%32%37.0.0.1 0 0.0.0.0 [::] [::1] [0:0:0:0:0:0:0:1]
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] 10.0.0.1
    192.168.1.1 172.16.0.1 100.64.0.1 169.254.169.254 2852039166 [fe80::1] [fd00::1] [fec0::1]
    [ff02::1] 224.0.0.1 255.255.255.255
  `)
  it('is not fetched if its name cannot be looked up, with the cause', async () => {
    const lookup: LookupFunction = (_, __, done) => done(new Error('no such name'), [])
    const fetch = publicFetch({ lookup, ca })
    expect(await causeOf(fetch(`https://bucket.test:${https}/x`))).toContain('no such name')
  })

  it.each(literals)('is not fetched from the address %s', async (host) => {
    const { lookup, asked } = names('8.8.8.8')
    const fetch = publicFetch({ lookup, ca })
    expect(await causeOf(fetch(`https://${host}:${https}/x`))).toMatch(
      /^\S+ is at \S+, which is not a public address$/,
    )
    expect([connections, asked]).toEqual([0, []])
  })

  it.each([...PRIVATE_V4, ...PRIVATE_V6])(
    'is not fetched from a name that leads to %s',
    async (address) => {
      for (const addresses of [[address], ['8.8.8.8', address], [address, '2400::1']]) {
        const { lookup, asked } = names(...addresses)
        const fetch = publicFetch({ lookup, ca })
        const why = await causeOf(fetch(`https://bucket.test:${https}/x`))
        expect(why).toContain(`bucket.test is at ${address}, `)
        expect([connections, asked]).toEqual([0, ['bucket.test']])
      }
    },
  )

  it('is not fetched from a private address if only one address is looked up', async () => {
    setDefaultAutoSelectFamily(false)
    try {
      const fetch = publicFetch({ lookup: names('127.0.0.1').lookup, ca })
      const why = await causeOf(fetch(`https://bucket.test:${https}/x`))
      expect(why).toContain('not a public')
      expect(connections).toBe(0)
    } finally {
      setDefaultAutoSelectFamily(true)
    }
  })

  it('is not fetched from this machine by the system’s lookup', async () => {
    const why = await causeOf(publicFetch({ ca })(`https://localhost:${https}/x`))
    expect(why).toContain('not a public address')
    expect(connections).toBe(0)
  })

  it.each(['http:', 'ftp:', 'file:', 'data:', 'ws:', 'blob:', 'javascript:'])(
    'is not fetched over %s',
    async (scheme) => {
      const { lookup, asked } = names('127.0.0.1')
      const work = publicFetch({ lookup })(`${scheme}//127.0.0.1:${http}/x`)
      await expect(work).rejects.toThrow(
        scheme === 'file:' ? 'parse URL' : `"url" expected https, got ${scheme}`,
      )
      expect([connections, asked]).toEqual([0, []])
    },
  )
})

it('closes a connection to an address that is not public', async () => {
  const { lookup } = names('127.0.0.1')
  const agent = new PublicAgent({ lookup, ca })
  const work = fetchBy({ 'https:': agent })(`https://bucket.test:${https}/x`)
  expect(await causeOf(work)).toContain('bucket.test is at 127.0.0.1, ')
  await expect.poll(() => Object.keys(agent.sockets)).toEqual([])
  expect([connections, requests]).toEqual([1, []])
})

describe('on a local network', () => {
  const { lookup } = names('127.0.0.1')
  const fetchTrusting = (trust: AgentOptions) =>
    fetchBy({
      'http:': new HttpAgent({ ...AGENT_OPTIONS, lookup }),
      'https:': new Agent({ ...AGENT_OPTIONS, lookup, ...trust }),
    })
  const local = fetchTrusting({ ca })
  const read = async (url: string, fetch = local) => {
    const bytes = await httpBucket(url, { fetch, timeoutMs: 2000 }).read('x', 4)
    return bytes && new TextDecoder().decode(bytes)
  }

  it('reads buckets over https and http, by name and by address', async () => {
    expect(await read(`https://bucket.test:${https}/a`)).toBe('here')
    expect(await read(`https://127.0.0.1:${https}/a`)).toBe('here')
    expect(await read(`http://bucket.test:${http}/a`)).toBe('here')
    expect(await read(`http://127.0.0.1:${http}/a`)).toBe('here')
    expect(requests).toEqual(Array(4).fill('/a/x'))
  })

  it('requires a trusted certificate of the URL’s host', async () => {
    await expect(read(`https://other.test:${https}/a`)).rejects.toThrow(/other\.test|altnames/)
    const untrusted = read(`https://bucket.test:${https}/a`, fetchTrusting({}))
    await expect(untrusted).rejects.toThrow(/self.signed/)
  })

  it('follows no redirect, even if the caller allows it', async () => {
    const asking = local(`http://127.0.0.1:${http}/redirects/x`, { redirect: 'follow' })
    expect((await asking).status).toBe(302)
    expect(requests).toEqual(['/redirects/x'])
  })
})
