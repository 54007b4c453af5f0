import { isIP } from 'node:net'
import { CHAIN, type Setting, type Table, textIn, whole } from '@affine/terminal'
import { BACKENDS } from '../buckets/backends.ts'
import { web, word, yes } from './readers.ts'

/** The hotkey that validates. */
const HOTKEY = {
  key: {
    option: '--key <file>',
    read: String,
    kind: 'path',
    help: 'the file of the hotkey; or put its secret into AFFINE_HOTKEY',
  },
  wallet: {
    option: '--wallet <name>',
    variables: ['BT_WALLET_COLD', 'BT_WALLET_NAME'],
    read: String,
    help: 'the name of a Bittensor wallet',
    proposed: 'default',
  },
  hotkey: {
    option: '--hotkey <name>',
    variables: ['BT_WALLET_HOT', 'BT_WALLET_HOTKEY'],
    read: String,
    help: "the name of the wallet's hotkey",
    proposed: 'default',
  },
  walletPath: {
    option: '--wallet-path <folder>',
    variables: ['BT_WALLET_PATH'],
    read: String,
    kind: 'path',
    without: '~/.bittensor/wallets',
    help: 'the folder that holds the wallets',
  },
  hotkeySecret: {
    variables: ['AFFINE_HOTKEY'],
    read: String,
    help: 'the secret of the hotkey, if no option names a hotkey',
    secret: 'all',
  },
} satisfies Table

/** Is anything sent to the chain? */
export const SENDING = {
  emit: {
    option: '--emit',
    variables: ['AFFINE_EMIT'],
    read: yes,
    without: 'a dry run on finney',
    help: 'send to the chain; on finney, without it, a validator only prints what it would send',
  },
  dryRun: {
    option: '--dry-run',
    variables: ['AFFINE_DRY_RUN'],
    read: yes,
    help: 'send nothing to the chain, on any network, even with --emit',
  },
} satisfies Table

/** What the validator does, and with what. */
const WORK = {
  folder: {
    option: '--folder <folder>',
    variables: ['AFFINE_FOLDER'],
    read: String,
    kind: 'path',
    needed: true,
    help: 'the private working folder: secrets, journals, sealed blocks, states',
    proposed: 'validator',
  },
  chutesApiKey: {
    variables: ['CHUTES_API_KEY'],
    read: word,
    help: 'the key for Chutes; needed on every network except a local one',
    secret: 'all',
  },
  concurrency: {
    option: '--concurrency <n>',
    variables: ['AFFINE_CONCURRENCY'],
    read: whole(1, 10_000),
    default: '32',
    help: 'the most requests to one miner at once',
  },
  ...SENDING,
  replay: {
    option: '--replay',
    variables: ['AFFINE_REPLAY'],
    read: yes,
    help: 'recompute every epoch, instead of starting from the attested state',
  },
  overwrite: {
    option: '--overwrite',
    read: yes,
    help: "validate with a hotkey that has a miner's model on the chain, and overwrite the model",
  },
} satisfies Table

/** The address of the bucket that the validator announces, if it is not the hotkey as a name. */
const PLACE = {
  bucketUrl: {
    option: '--bucket-url <url>',
    variables: ['AFFINE_BUCKET_URL', 'R2_PUBLIC_BASE'],
    read: web,
    without: 'the hotkey as a name',
    help: 'the URL at which everyone can read the bucket; needed for S3',
    secret: 'in its URL',
  },
} satisfies Table

const isAddress = (host: string): boolean => isIP(host) !== 0 || host === 'localhost'

/** How the validator runs as a service. Times are in seconds. */
const SERVICE = {
  metrics: {
    option: '--metrics <port>',
    variables: ['AFFINE_METRICS'],
    read: whole(0, 65_535),
    without: 'none',
    help: 'the port of /metrics and /healthz; 0 takes any free port',
  },
  metricsHost: {
    variables: ['AFFINE_METRICS_HOST'],
    read: textIn('an IP address, or localhost', isAddress),
    default: '127.0.0.1',
    help: 'the address of /metrics and /healthz',
  },
  stall: {
    variables: ['AFFINE_STALL'],
    read: whole(1, 86_400),
    default: '300',
    help: 'seconds without a block before /healthz fails; after twice as many it exits',
  },
  grace: {
    variables: ['AFFINE_GRACE'],
    read: whole(0, 3600),
    default: '30',
    help: 'seconds after Ctrl-C or SIGTERM to finish what is under way',
  },
} satisfies Table

/** The settings of every validator, whatever its hotkey and its bucket are. */
export const COMMON = { ...CHAIN, ...WORK, ...PLACE, ...SERVICE }

/** A setting, its name, and the heading in help above its option. */
export interface Named extends Setting {
  readonly name: string
  readonly heading: string
}

const named = (heading: string, settings: Table): readonly Named[] =>
  Object.entries(settings).map(([name, setting]) => ({ name, heading, ...setting }))

/** All settings of a validator, in the order in which they are shown. */
export const SETTINGS: readonly Named[] = [
  ...named('Chain', CHAIN),
  ...named('Hotkey', HOTKEY),
  ...named('Validator', WORK),
  ...BACKENDS.flatMap(({ settings }) => named('Bucket', settings)),
  ...named('Bucket', PLACE),
  ...named('Service', SERVICE),
]
