import { NETWORK_HELP } from '@affine/settlement'
import { FIRST_EPOCH, NETUID } from '@affine/terminal'
import * as z from 'zod'
import { like, type Row, style, text, web, whole, word, yes } from './setting-shapes.ts'
import type { Given, Told } from './told.ts'
import { BT_WALLET as BT } from './wallet-names.ts'

/** What a validator can be told, in the order in which it is shown. */
const ROWS = {
  network: {
    shape: text(),
    option: '--network <where>',
    help: `${NETWORK_HELP} (SUBTENSOR_ENDPOINT)`,
    variables: ['SUBTENSOR_ENDPOINT'],
  },
  fallback: {
    shape: like(/^wss?:/, 'the ws:// or wss:// URL of a node'),
    variables: ['SUBTENSOR_FALLBACK'],
  },
  netuid: {
    shape: whole(0, 65_535).optional(),
    option: NETUID.flags,
    help: NETUID.description,
    variables: ['AFFINE_NETUID', 'NETUID'],
  },
  firstEpoch: {
    shape: whole(0, 1e9).optional(),
    option: FIRST_EPOCH.flags,
    help: FIRST_EPOCH.description,
    variables: ['AFFINE_FIRST_EPOCH'],
  },
  key: { shape: text().optional(), option: '--key <file>', variables: [] },
  wallet: { shape: text().optional(), option: '--wallet <name>', variables: BT.wallet },
  hotkey: { shape: text().optional(), option: '--hotkey <name>', variables: BT.hotkey },
  walletPath: { shape: text().optional(), option: '--wallet-path <folder>', variables: BT.path },
  hotkeySecret: { shape: text().optional(), variables: ['AFFINE_HOTKEY'], secret: true },
  chutesApiKey: { shape: word(), variables: ['CHUTES_API_KEY'], secret: true },
  folder: {
    shape: text(),
    option: '--folder <folder>',
    help: 'its own: journals, secrets, sealed blocks',
    variables: ['AFFINE_FOLDER'],
  },
  buckets: {
    shape: text().optional(),
    option: '--buckets <folder>',
    help: 'where all buckets are, if its own is not in S3',
    variables: ['AFFINE_BUCKETS'],
  },
  bucketUrl: {
    shape: web(),
    option: '--bucket-url <url>',
    help: 'where everyone can read its bucket (AFFINE_BUCKET_URL R2_PUBLIC_BASE)',
    variables: ['AFFINE_BUCKET_URL', 'R2_PUBLIC_BASE'],
  },
  s3Endpoint: {
    shape: web(),
    option: '--s3-endpoint <url>',
    help: "the service's URL, if its bucket is in S3 (S3_ENDPOINT)",
    variables: ['S3_ENDPOINT'],
  },
  r2AccountId: { shape: like(/^[0-9a-f]{32}$/, '32 hex digits'), variables: ['R2_ACCOUNT_ID'] },
  s3Bucket: {
    shape: like(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "a bucket's name"),
    option: '--s3-bucket <name>',
    help: 'the name of the bucket there (S3_BUCKET R2_BUCKET_ID)',
    variables: ['S3_BUCKET', 'R2_BUCKET_ID'],
  },
  s3AccessKeyId: {
    shape: word(),
    variables: ['S3_ACCESS_KEY_ID', 'R2_WRITE_ACCESS_KEY_ID'],
    secret: true,
  },
  s3SecretAccessKey: {
    shape: word(),
    variables: ['S3_SECRET_ACCESS_KEY', 'R2_WRITE_SECRET_ACCESS_KEY'],
    secret: true,
  },
  s3Region: { shape: word().default('auto'), variables: ['S3_REGION'] },
  s3Style: { shape: style(), variables: ['S3_STYLE'] },
  emit: {
    shape: yes(),
    option: '--emit',
    help: 'send to the chain: without it a validator on finney only says what it would send',
    variables: ['AFFINE_EMIT'],
  },
  dryRun: {
    shape: yes(),
    option: '--dry-run',
    help: 'send nothing, whatever the network',
    variables: ['AFFINE_DRY_RUN'],
  },
  replay: {
    shape: yes(),
    option: '--replay',
    help: 'decide every epoch anew, instead of starting from what the others attested',
    variables: ['AFFINE_REPLAY'],
  },
  overwrite: {
    shape: yes(),
    option: '--overwrite',
    help: "also where the hotkey's slot holds a miner's model: it is written over",
    variables: [],
  },
  concurrency: {
    shape: whole(1, 10_000).default(32),
    option: '--concurrency <n>',
    help: 'calls at once to one miner',
    variables: ['AFFINE_CONCURRENCY'],
  },
  metrics: {
    shape: whole(0, 65_535).optional(),
    option: '--metrics <port>',
    help: 'serve /metrics and /healthz; 0 takes any free port',
    variables: ['AFFINE_METRICS'],
  },
  metricsHost: {
    shape: text().default('127.0.0.1'),
    option: '--metrics-host <address>',
    help: 'where they are served',
    variables: ['AFFINE_METRICS_HOST'],
  },
  stall: {
    shape: whole(1, 86_400).default(300),
    option: '--stall <s>',
    help: 'nothing for so long is unhealthy; twice as long ends it',
    variables: ['AFFINE_STALL'],
  },
  grace: {
    shape: whole(0, 3600).default(30),
    option: '--grace <s>',
    help: 'at Ctrl-C or SIGTERM, for what is under way',
    variables: ['AFFINE_GRACE'],
  },
} satisfies Readonly<Record<string, Row>>

/** A row of the table under its name. */
export interface Setting extends Row {
  readonly name: string
}

/** All there is to tell, in the order of the table. */
export const SETTINGS: readonly Setting[] = Object.entries<Row>(ROWS).map(([name, row]) => ({
  name,
  ...row,
}))

type Shapes = { readonly [Name in keyof typeof ROWS]: (typeof ROWS)[Name]['shape'] }
const shapes = Object.fromEntries(SETTINGS.map(({ name, shape }) => [name, shape])) as Shapes
const schema = z.object(shapes)

/** Whether to send, by what is given of that; undefined when it is not what it must be. */
export function sendingBy(given: Given): Pick<Told, 'emit' | 'dryRun'> | undefined {
  return schema.pick({ emit: true, dryRun: true }).safeParse(given).data
}

/** All settings by their values; undefined when one is not what it must be. */
export function toldBy(given: Given): Told | undefined {
  return schema.safeParse(given).data
}
