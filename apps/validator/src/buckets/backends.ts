import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { ABOUT, type Setting, text } from '../settings/setting.ts'
import { type Backend, defineBackend, type OwnBucket } from './backend.ts'
import { GCS, S3 } from './s3.ts'

/** A bucket in a folder of this machine, named after the hotkey. */
const DIRECTORY: Backend = defineBackend({
  label: 'in a folder here, which a web server serves',
  needsUrl: false,
  settings: {
    buckets: text().register(ABOUT, {
      help: 'the folder in which the bucket is, as a folder named after the hotkey',
      takes: '<folder>',
      variables: ['AFFINE_BUCKETS'],
      question: 'The folder; the bucket is a folder in it, named after the hotkey',
      proposed: 'buckets',
    }),
  },
  bucketOf: ({ buckets }) => bucketIn(buckets),
})

/** The places where a validator can keep its bucket, in the order of `af setup`. */
export const BACKENDS: readonly Backend[] = [S3, GCS, DIRECTORY]

/** The backend to which a setting belongs; undefined for a setting of every validator. */
export function backendOf({ name }: Pick<Setting, 'name'>): Backend | undefined {
  return BACKENDS.find(({ settings }) => settings.some((each) => each.name === name))
}

/** The backends for which a setting without a default is given. */
export function backendsIn(given: object): readonly Backend[] {
  const isMeant = ({ name, type }: Setting): boolean =>
    Object.hasOwn(given, name) && !type.safeParse(undefined).success
  return BACKENDS.filter(({ settings }) => settings.some(isMeant))
}

/** The bucket of each hotkey in this folder. */
export function bucketIn(folder: string): OwnBucket {
  return { folder, open: (hotkey) => directoryBucket(join(folder, hotkey)) }
}
