import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Listening, listenWith } from '@affine/node/listen'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killAll } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { buildPage } from '../../explorer/test/build-page.ts'
import { type PageNetwork, servePageAndBuckets } from '../src/service/served-files.ts'

const CHAIN = '{"format":"affine-chain/1"}'
const root = testFolder('explorer-page')

beforeAll(async () => {
  await writeFile(join(root, 'chain.json'), CHAIN)
  await buildPage()
})
afterAll(killAll)

const FINNEY: PageNetwork = { chain: { name: 'finney' } }
const serving = async (network = FINNEY): Promise<Listening> =>
  listenWith(await servePageAndBuckets(root, network), 0)
const text = async (url: string): Promise<string> => (await fetch(url)).text()

describe('the page next to buckets', () => {
  it('has a security policy, is revalidated, and its assets are cached', async () => {
    using server = await serving()
    const page = await fetch(`${server.url}/`)
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': "frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    })
    const html = await page.text()
    expect(html).toContain("default-src 'self'")
    expect(html.replaceAll("'wasm-unsafe-eval'", '')).not.toMatch(/style=|unsafe/)
    const [[, inline = ''] = [], ...others] = html.matchAll(/<script(?![^>]* src=)[^>]*>([^<]*)/g)
    const hash = createHash('sha256').update(inline).digest('base64')
    expect(html).toContain(`script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}';`)
    expect(others).toEqual([])
    const [, script = ''] = /src="\.(\/assets\/[^"]+\.js)"/.exec(html) ?? []
    const { headers } = await fetch(server.url + script)
    expect(headers.get('cache-control')).toContain('immutable')
  })

  it('names the configured chain: a served export, or a name', async () => {
    using server = await serving({ chain: { file: join(root, 'chain.json') }, names: { a: 'b' } })
    const file = JSON.parse(await text(`${server.url}/network.json`))
    expect(file).toEqual({ chain: 'chain.json', buckets: './', names: { a: 'b' } })
    expect(await text(`${server.url}/chain.json`)).toBe(CHAIN)
    using other = await serving({ chain: { name: 'wss://node' }, netuid: 7, firstEpoch: 8 })
    const node = { chain: 'wss://node', buckets: './', netuid: 7, firstEpoch: 8 }
    expect(JSON.parse(await text(`${other.url}/network.json`))).toEqual(node)
    expect((await fetch(`${other.url}/chain.json`)).status).toBe(404)
  })

  it('forwards other paths to the buckets and reads no other file', async () => {
    using server = await serving({ chain: { file: join(root, 'gone.json') } })
    for (const path of ['/chain.json', '/package.json', '/assets/', '/..%2fpackage.json'])
      expect((await fetch(server.url + path)).status, path).toBe(404)
    expect((await fetch(server.url, { method: 'POST' })).status).toBe(404)
    const head = await fetch(server.url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})
