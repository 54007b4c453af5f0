import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { account } from '@affine/chain'
import { LOCAL_NETWORK, NETWORK_HELP, NETWORKS } from '@affine/settlement'
import { NODE_HOST } from '@affine/settlement/host'
import { readEnvironment } from '@affine/terminal'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runAf } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { words } from '../../../test/words.ts'
import { isSending, readSettings } from '../src/settings/settings.ts'
import { writeIn } from './commands.ts'

const MINIMUM = { network: 'local', folder: 'f', buckets: 'b' }
const KEYS = {
  S3_ACCESS_KEY_ID: 'access-key-of-mine',
  S3_SECRET_ACCESS_KEY: 'secret-key-of-mine-9z',
}
const R2 = {
  R2_ACCOUNT_ID: '0123456789abcdef0123456789abcdef',
  R2_BUCKET_ID: 'affine',
  R2_WRITE_ACCESS_KEY_ID: KEYS.S3_ACCESS_KEY_ID,
  R2_WRITE_SECRET_ACCESS_KEY: KEYS.S3_SECRET_ACCESS_KEY,
}

const root = testFolder('settings')

type Variables = Readonly<Record<string, string>>
const read = (flags: object, env: Variables = {}) => readSettings(flags, env)
/** Returns the value, source and name of a setting. */
const found = ({ shown }: ReturnType<typeof read>, name: string) => {
  const { value, from, by } = shown.find(({ setting }) => setting === name) ?? {}
  return [value, from, by]
}

describe('a setting', () => {
  it('comes from the option, the environment or its default, in this order', () => {
    const [flags, env] = [{ concurrency: '1' }, { AFFINE_CONCURRENCY: '2', AFFINE_GRACE: '4' }]
    const name = 'concurrency'
    expect(found(read(flags, env), name)).toEqual(['1', 'flag', '--concurrency'])
    expect(found(read({}, env), name)).toEqual(['2', 'environment', 'AFFINE_CONCURRENCY'])
    const values = { stall: 300, grace: 4, concurrency: 1 }
    expect(read({ ...MINIMUM, ...flags }, env).settings).toMatchObject(values)
  })
})

describe('the network', () => {
  const folders = { folder: 'f', buckets: 'b' }

  it.each(['finney', 'wss://one, wss://two', import.meta.filename])('can be %s', (network) => {
    const { problems } = read({ ...folders, network }, { CHUTES_API_KEY: 'k' })
    expect(problems).toEqual([])
  })
  const wrong = words('=finey ws:/one ws:// ws://one:99999 ws://one,http://two nowhere.json .')
  it.each([...wrong, 'x'.repeat(300), 'a\0b'])('cannot be %s', (network) => {
    const { problems } = read({ ...folders, network })
    expect(problems).toEqual([
      `--network: expected ${NETWORK_HELP}, got ${JSON.stringify(network)}`,
    ])
  })
})

describe('the bucket', () => {
  const [required, url] = [{ network: 'local', folder: 'f' }, 'https://pub-1.r2.dev/a']
  afterEach(() => void vi.restoreAllMocks())

  /** Returns the URL, key and headers of a write with these settings. */
  async function putBy(flags: object, env: Variables) {
    const fetch = vi.spyOn(NODE_HOST, 'fetch').mockResolvedValue(new Response(''))
    const { settings, problems } = read(flags, env)
    expect(problems).toEqual([])
    await settings?.bucket.open('me').write('v1/x.json', new Uint8Array())
    const [place, { headers } = {}] = fetch.mock.calls[0] ?? []
    const { authorization = '', ...sent } = headers as Record<string, string>
    const key = /^\S+ Credential=[^/]+\/\d+\/[^,]+/.exec(authorization)?.[0].replace(/\d{8}/, '')
    return { bucketUrl: settings?.bucketUrl, place, key, headers: Object.keys(sent) }
  }
  it('is in R2, by the R2 variables', async () => {
    const place = `https://${R2.R2_ACCOUNT_ID}.r2.cloudflarestorage.com/affine/v1/x.json`
    const key = `AWS4-HMAC-SHA256 Credential=${KEYS.S3_ACCESS_KEY_ID}//auto/s3/aws4_request`
    const wanted = { place, key, bucketUrl: url }
    expect(await putBy({ ...required, bucketUrl: url }, R2)).toMatchObject(wanted)
    expect(await putBy(required, { ...R2, R2_PUBLIC_BASE: url })).toMatchObject(wanted)
  })
  it('is in S3 if the variables of S3 are set, which override the variables of R2', async () => {
    const where = { S3_ENDPOINT: 'https://s3.eu.example', S3_REGION: 'eu', S3_STYLE: 'virtual' }
    const env = { ...R2, ...where, S3_BUCKET: 'mine', ...KEYS }
    expect(await putBy({ ...required, bucketUrl: url }, env)).toMatchObject({
      place: 'https://mine.s3.eu.example/v1/x.json',
      key: `AWS4-HMAC-SHA256 Credential=${KEYS.S3_ACCESS_KEY_ID}//eu/s3/aws4_request`,
    })
  })
  it('is called in the dialect of Google Cloud Storage at its endpoint', async () => {
    const env = { ...KEYS, S3_BUCKET: 'mine', S3_ENDPOINT: 'https://storage.googleapis.com' }
    expect(await putBy({ ...required, bucketUrl: url }, env)).toEqual({
      bucketUrl: url,
      place: 'https://storage.googleapis.com/mine/v1/x.json',
      key: `GOOG4-HMAC-SHA256 Credential=${KEYS.S3_ACCESS_KEY_ID}//auto/storage/goog4_request`,
      headers: words(`content-encoding content-md5 content-type
        x-goog-if-generation-match x-goog-content-sha256 x-goog-date`),
    })
  })
})

const LOCAL = { network: 'local', folder: 'f' }
const wrong: readonly (readonly [what: string, flags: object, env: Variables])[] = [
  ['nothing', MINIMUM, {}],
  ['everything is missing', {}, {}],
  [
    'values of all kinds',
    { ...MINIMUM, metrics: '65536', concurrency: '1.5', bucketUrl: 'ftp://x', netuid: 'x' },
    { AFFINE_EMIT: 'perhaps', AFFINE_STALL: '0', S3_STYLE: 'odd' },
  ],
  [
    'a host without names',
    { ...LOCAL, bucketUrl: 'https://x' },
    { ...KEYS, S3_BUCKET: 'mine', S3_ENDPOINT: 'http://127.0.0.1:9000', S3_STYLE: 'virtual' },
  ],
  ['a bucket in two places', MINIMUM, { ...R2, R2_PUBLIC_BASE: 'https://x' }],
  ['half a bucket', LOCAL, { R2_BUCKET_ID: 'affine' }],
  [
    'no name, URL or key of S3',
    { ...LOCAL, bucketUrl: 'https://x' },
    { ...R2, R2_BUCKET_ID: 'Two Words', S3_ENDPOINT: 'http://:', R2_WRITE_ACCESS_KEY_ID: 'a b' },
  ],
  ['on Chutes, no key or https', { ...MINIMUM, network: 'finney', bucketUrl: 'http://x' }, {}],
  [
    'no network, no host',
    { folder: 'f', buckets: 'b' },
    { SUBTENSOR_ENDPOINT: '127.0.0.1:9944', AFFINE_METRICS_HOST: 'foo' },
  ],
  ['a URL over 128 bytes', { ...MINIMUM, bucketUrl: `https://${'x'.repeat(121)}` }, {}],
  ['folders in each other', { ...MINIMUM, folder: 'b/5F' }, {}],
]
it('every problem is reported in one run', async () => {
  const lines = wrong.flatMap(([what, flags, env]) => {
    const { problems, settings } = read(flags, env)
    expect(settings === undefined).toBe(problems.length > 0)
    return [`${what}:`, ...problems.map((problem) => `  ${problem}`)]
  })
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('snapshots/settings.txt')
})

describe('the private folder', () => {
  const problemsOf = (folder: string, buckets: string): readonly string[] =>
    read({ ...MINIMUM, folder, buckets }).problems

  it('is rejected if nested with the folder of buckets, for any form of the paths', () => {
    const isRejected = (pair: string) => {
      const [folder = '', buckets = ''] = pair.split(':')
      return problemsOf(folder, buckets).length > 0
    }
    const [nested, separate] = [
      words('b:b b:./x/../b/ b/..x:b v:v/b .:b'),
      words('v:b bb:b b:../b'),
    ]
    expect([...nested, ...separate, '..b:b'].filter(isRejected)).toEqual(nested)
  })

  it('is compared by its real path, as far as it exists', async () => {
    await mkdir(join(root, 'buckets'))
    await symlink(join(root, 'buckets'), join(root, 'link'))
    expect(problemsOf(join(root, 'link/new/validator'), join(root, 'buckets'))).toHaveLength(1)
    expect(problemsOf(join(root, 'other'), join(root, 'link'))).toEqual([])
  })
})

const key = 'cpk_0123456789abcdef.0123456789abcdef.xyzzy'
const env = {
  ...R2,
  CHUTES_API_KEY: key,
  AFFINE_HOTKEY: 'ab'.repeat(32),
  AFFINE_BUCKET_URL: 'https://x',
  SUBTENSOR_ENDPOINT: 'wss://me:pass@one.example/v1/my-node-key,wss://x?k=of-the-second',
}
const inUrls = ['pass', 'my-node-key', 'of-the-second']
const secrets = [key, env.AFFINE_HOTKEY, ...Object.values(KEYS), ...inUrls]

it('secrets are masked; only the last two characters of a long one are shown', () => {
  const { shown, mask, problems } = read({ folder: 'f' }, env)
  expect(problems).toEqual([])
  const values = Object.fromEntries(shown.map(({ setting, value }) => [setting, value]))
  expect(values).toMatchObject({
    'chutes-api-key': '****zy',
    'hotkey-secret': '****ab',
    's3-secret-access-key': '****9z',
    network: 'wss://****@one.example/****,wss://x?****',
  })
  const text = mask(`${JSON.stringify(shown)} at ${env.SUBTENSOR_ENDPOINT}, ${key}`)
  for (const secret of secrets) expect(text).not.toContain(secret)
  expect(mask('plain at ws://two')).toBe('plain at ws://two')
})

describe('a secret in a URL', () => {
  /** Returns all that is printed about a URL and its problems. */
  const printed = (url: string, flags: object, env: Variables): string => {
    const { shown, problems, mask } = read({ folder: 'f', ...flags }, env)
    const values = shown.map(({ value }) => value)
    return [...problems, ...values, mask(`at ${url}: why`)].join()
  }
  it.each([
    'wss:/h.example/s3cret-key',
    'WSS:h.example/s3cret-key',
    'wss:\\\\h.example\\s3cret-key',
    'wss://me:s3cret-key/x@h.example',
    'wss:/h.example?k=s3cret-key',
  ])('of a node is masked in the malformed %s', (network) => {
    const text = printed(network, { network }, R2)
    expect(text).not.toContain('s3cret-key')
    expect(text).toContain('h.example')
  })

  it.each([
    ...['me:s3cret', 'm:s3/cret', 'm:s3,cret', 'm:s3@cret', 's3', 'AK"s3\\'].map(
      (user) => `https://${user}@h.example`,
    ),
    'https://h.example/x?sig=1,s3cret',
    'https://h.example/x?sig=1 s3cret',
    'https://h.example/x#s3cret',
    'https:/me:s3cret@h.example',
    'me:s3cret@h.example',
    's3cret@h.example',
    'HTTPS://me:s3cret@h.example',
  ])('of a bucket is masked in %s, which is not a bucket URL', (url) => {
    const text = printed(url, { network: 'local' }, { S3_ENDPOINT: url, AFFINE_BUCKET_URL: url })
    expect(text.replaceAll(/s3-|S3_/g, '')).not.toMatch(/s3|cret/)
    expect(text).toMatch(/S3_ENDPOINT: expected .*, got ".*h\.example/)
  })
})

describe('af doctor', () => {
  beforeAll(async () => {
    await writeIn(root, 'ab'.repeat(32), 'key')
    const lines = ['SUBTENSOR_ENDPOINT="finney"', '# ours', 'CHUTES_API_KEY=cpk_0123456789abcdef']
    await writeIn(root, `${lines.join('\n')}\nAFFINE_STALL=17\n`, '.env')
  })
  afterAll(() => readEnvironment()) // forgets the files of these tests
  const af = (line: string, env: Variables = {}) => runAf(line.split(' '), { cwd: root, env })
  const { hotkey } = account(new Uint8Array(32).fill(0xab))

  const NOWHERE = '--network http://127.0.0.1:1'

  it('shows the settings and their sources', async () => {
    const env = { AFFINE_GRACE: '5', AFFINE_BUCKETS: 'b' }
    const { code, stdout, stderr } = await af(`doctor --key key --folder f ${NOWHERE}`, env)
    expect([code, stderr]).toEqual([1, ''])
    const rows = [
      ['network', 'http://127.0.0.1:1', 'flag', '--network'],
      ['key', 'key', 'flag', '--key'],
      ['chutes-api-key', '\\*{4}ef', '.env', 'CHUTES_API_KEY'],
      ['buckets', 'b', 'environment', 'AFFINE_BUCKETS'],
      ['stall', '17', '.env', 'AFFINE_STALL'],
      ['grace', '5', 'environment', 'AFFINE_GRACE'],
    ]
    for (const row of rows) expect(stdout).toMatch(new RegExp(`^${row.join(' +')}$`, 'm'))
    expect(stdout).toContain(`Settings of ${hotkey}:\n`)
    expect(stdout).not.toMatch(/0123456789abcdef|concurrency|finney/)
    expect(stdout.match(/✘/g)).toHaveLength(1) // no chain answers
  })

  it('names unknown variables of the environment and .env, but no values', async () => {
    const wrong = words('SUBTENSOR_FALLBACK=ws://x AFFINE_HOTKY=s3cret')
    const right = ['AFFINE_GRACE=5', 'BT_LOGGING=1', '# a comment', '', 'MY_TOKEN=$x # theirs']
    await writeIn(root, [...wrong, ...right].join('\r\n'), 'bad/.env')
    const place = { cwd: join(root, 'bad'), env: { R2_ACOUNT_ID: 'b', CHUTES_KEY: 'theirs' } }
    const afInBad = (line: string) => runAf(line.split(' '), place)
    const { stdout } = await afInBad(`doctor --key ../key ${NOWHERE}`)
    const warningsIn = (text: string) => text.split('\n').filter((line) => line.startsWith('!'))
    const commit = 'commit --model m --revision r --chute c'
    const once = await afInBad(`${commit} --key ../key --network nowhere`)
    expect(warningsIn(once.stdout)).toEqual(warningsIn(stdout))
    const advice = 'docs/settings.md lists all'
    expect(warningsIn(stdout)).toEqual(
      words('AFFINE_HOTKY R2_ACOUNT_ID SUBTENSOR_FALLBACK').map(
        (name) => `! unknown variable ${name}: ${advice}`,
      ),
    )
    expect(stdout).toMatch(/^grace +5 +\.env +AFFINE_GRACE$/m)
    expect(stdout).not.toContain('s3cret')
  })
})

it('sends on finney only with --emit, and elsewhere unless --dry-run is given', () => {
  const { settings } = read(MINIMUM, { AFFINE_EMIT: 'true', AFFINE_DRY_RUN: 'false' })
  expect(settings).toMatchObject({ emit: true, dryRun: false })
  const ways = [{}, { emit: true }, { dryRun: true }, { emit: true, dryRun: true }] as const
  const sends = (name: string) =>
    ways.map((way) => isSending({ ...LOCAL_NETWORK, ...NETWORKS[name] }, way))
  expect(sends('finney')).toEqual([false, true, false, false])
  for (const name of ['test', 'local']) expect(sends(name)).toEqual([true, true, false, false])
})
