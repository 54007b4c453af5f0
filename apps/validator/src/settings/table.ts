import { isIP } from 'node:net'
import { CHAIN, ENV_MODULE, reader, type Table, textIn, whole } from '@affine/terminal'
import { BACKENDS, readWebUrl, readWord } from '../buckets/backends.ts'

const readSwitch = reader('true or false', (text) =>
  ['true', 'false'].includes(text) ? text === 'true' : undefined,
)

const HOTKEY = {
  key: {
    option: '--key <file>',
    variables: ['AFFINE_KEY'],
    kind: 'path',
    help: 'the file of the hotkey; or set AFFINE_HOTKEY to its secret',
  },
  wallet: {
    option: '--wallet <name>',
    variables: ['BT_WALLET_COLD', 'BT_WALLET_NAME'],
    help: 'the name of a Bittensor wallet',
    proposed: 'default',
  },
  hotkey: {
    option: '--hotkey <name>',
    variables: ['BT_WALLET_HOT', 'BT_WALLET_HOTKEY'],
    help: "the name of the wallet's hotkey",
    proposed: 'default',
  },
  walletPath: {
    option: '--wallet-path <folder>',
    variables: ['BT_WALLET_PATH'],
    kind: 'path',
    without: '~/.bittensor/wallets',
    help: 'the folder that holds the wallets',
  },
  hotkeySecret: {
    variables: ['AFFINE_HOTKEY'],
    help: 'the secret of the hotkey, unless an option names one',
    secret: 'all',
  },
} satisfies Table

/** The validator's folder, key and limits. */
const WORK = {
  folder: {
    option: '--folder <folder>',
    variables: ['AFFINE_FOLDER'],
    kind: 'path',
    needed: true,
    help: 'the private folder of secrets, journals, sealed blocks, states',
    proposed: 'validator',
  },
  chutesApiKey: {
    variables: ['CHUTES_API_KEY'],
    read: readWord,
    help: 'the key for Chutes; required except on a local network',
    secret: 'all',
  },
  concurrency: {
    option: '--concurrency <n>',
    variables: ['AFFINE_CONCURRENCY'],
    read: whole(1, 10_000),
    default: '32',
    help: 'maximum concurrent requests to one miner',
  },
  emit: {
    option: '--emit',
    variables: ['AFFINE_EMIT'],
    read: readSwitch,
    without: 'a dry run on finney',
    help: 'send transactions; finney is a dry run without it',
  },
  dryRun: {
    option: '--dry-run',
    variables: ['AFFINE_DRY_RUN'],
    read: readSwitch,
    help: 'send no transactions, even with --emit',
  },
  replay: {
    option: '--replay',
    variables: ['AFFINE_REPLAY'],
    read: readSwitch,
    help: 'recompute every epoch instead of starting from the attested state',
  },
  envModule: ENV_MODULE,
  overwrite: {
    option: '--overwrite',
    read: readSwitch,
    help: "overwrite a miner's model in the hotkey's commitment",
  },
} satisfies Table

/** The announced address of the bucket. */
const PLACE = {
  bucketUrl: {
    option: '--bucket-url <url>',
    variables: ['AFFINE_BUCKET_URL', 'R2_PUBLIC_BASE'],
    read: readWebUrl,
    without: 'the hotkey, as a name below --buckets',
    help: 'the public URL of the bucket, which is announced; required for S3',
    secret: 'in its URL',
  },
} satisfies Table

/** The validator as a service. Times are in seconds. */
const SERVICE = {
  metrics: {
    option: '--metrics <port>',
    variables: ['AFFINE_METRICS'],
    read: whole(0, 65_535),
    without: 'none',
    help: 'the port of /metrics and /healthz; 0 for any free port',
  },
  metricsHost: {
    variables: ['AFFINE_METRICS_HOST'],
    read: textIn('an IP address, or localhost', (host) => isIP(host) !== 0 || host === 'localhost'),
    default: '127.0.0.1',
    help: 'the address of /metrics and /healthz',
  },
  stall: {
    variables: ['AFFINE_STALL'],
    read: whole(1, 86_400),
    default: '300',
    help: 'seconds without a block or its processing until /healthz fails; af exits at twice that',
  },
  grace: {
    variables: ['AFFINE_GRACE'],
    read: whole(0, 3600),
    default: '30',
    help: 'seconds after Ctrl-C or SIGTERM to finish pending tasks',
  },
} satisfies Table

/** Settings of every validator, for any kind of hotkey and of bucket. */
export const COMMON = { ...CHAIN, ...WORK, ...PLACE, ...SERVICE }

/** A setting, its name, and the heading of its option in help. */
export type NamedSetting = Table[string] & Readonly<Record<'name' | 'heading', string>>

const nameSettings = (heading: string, settings: Table): readonly NamedSetting[] =>
  Object.entries(settings).map(([name, setting]) => ({ name, heading, ...setting }))

/** All settings of a validator, in the order of `af doctor` and docs/settings.md. */
export const SETTINGS: readonly NamedSetting[] = [
  ...nameSettings('Chain', CHAIN),
  ...nameSettings('Hotkey', HOTKEY),
  ...nameSettings('Validator', WORK),
  ...BACKENDS.flatMap(({ settings }) => nameSettings('Bucket', settings)),
  ...nameSettings('Bucket', PLACE),
  ...nameSettings('Service', SERVICE),
]
