import { isIP } from 'node:net'
import { defineGroup } from './group.ts'
import { ABOUT, text, web, whole, word, yes } from './setting.ts'

/** What the validator does, and with what. */
export const WORK = defineGroup('Validator', {
  folder: text().register(ABOUT, {
    help: 'the private working folder: secrets, journals, sealed blocks, states',
    takes: '<folder>',
    variables: ['AFFINE_FOLDER'],
    question: 'Its private folder, for secrets and journals',
    proposed: 'validator',
  }),
  chutesApiKey: word()
    .optional()
    .register(ABOUT, {
      help: 'the key for Chutes; needed on every network except a local one',
      variables: ['CHUTES_API_KEY'],
      secret: 'all',
      question: 'The key for Chutes',
    }),
  concurrency: whole(1, 10_000)
    .default(32)
    .register(ABOUT, {
      help: 'the most requests to one miner at once',
      takes: '<n>',
      variables: ['AFFINE_CONCURRENCY'],
    }),
  emit: yes().register(ABOUT, {
    help: 'send to the chain; on finney, without it, a validator only prints what it would send',
    takes: '',
    variables: ['AFFINE_EMIT'],
    without: 'a dry run on finney',
  }),
  dryRun: yes().register(ABOUT, {
    help: 'send nothing to the chain, on any network',
    takes: '',
    variables: ['AFFINE_DRY_RUN'],
  }),
  replay: yes().register(ABOUT, {
    help: 'recompute every epoch, instead of starting from the attested state',
    takes: '',
    variables: ['AFFINE_REPLAY'],
  }),
  overwrite: yes().register(ABOUT, {
    help: "validate with a hotkey that has a miner's model on the chain, and overwrite the model",
    takes: '',
  }),
})

/** The address of the bucket that the validator announces, if it is not the hotkey as a name. */
export const PLACE = defineGroup('Bucket', {
  bucketUrl: web()
    .optional()
    .register(ABOUT, {
      help: 'the URL at which everyone can read the bucket; needed for S3',
      takes: '<url>',
      variables: ['AFFINE_BUCKET_URL', 'R2_PUBLIC_BASE'],
      without: 'the hotkey as a name',
      secret: 'in its URL',
      question: 'The URL at which everyone can read it',
    }),
})

const isAddress = (host: string): boolean => isIP(host) !== 0 || host === 'localhost'

/** How the validator runs as a service. Times are in seconds. */
export const SERVICE = defineGroup('Service', {
  metrics: whole(0, 65_535)
    .optional()
    .register(ABOUT, {
      help: 'the port of /metrics and /healthz; 0 takes any free port',
      takes: '<port>',
      variables: ['AFFINE_METRICS'],
      without: 'none',
    }),
  metricsHost: text()
    .refine(isAddress, 'expected an IP address, or localhost')
    .default('127.0.0.1')
    .register(ABOUT, {
      help: 'the address of /metrics and /healthz',
      variables: ['AFFINE_METRICS_HOST'],
    }),
  stall: whole(1, 86_400)
    .default(300)
    .register(ABOUT, {
      help: 'seconds without a block before /healthz fails; after twice as many it exits',
      variables: ['AFFINE_STALL'],
    }),
  grace: whole(0, 3600)
    .default(30)
    .register(ABOUT, {
      help: 'seconds after Ctrl-C or SIGTERM to finish what is under way',
      variables: ['AFFINE_GRACE'],
    }),
})
