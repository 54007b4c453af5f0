import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { ABOUT, text } from '../settings/setting.ts'
import { type Backend, defineBackend, type OwnBucket } from './backend.ts'

/** A bucket in a folder of this machine, named after the hotkey. */
export const DIRECTORY: Backend = defineBackend({
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

/** The bucket of each hotkey in this folder. */
export function bucketIn(folder: string): OwnBucket {
  return { folder, open: (hotkey) => directoryBucket(join(folder, hotkey)) }
}
