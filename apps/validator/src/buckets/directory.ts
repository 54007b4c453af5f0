import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { ABOUT, text } from '../settings/setting.ts'
import { type Backend, defineBackend, type OwnBucket } from './backend.ts'

/** In a folder of this machine, below the hotkey's name. */
export const DIRECTORY: Backend = defineBackend({
  label: 'in a folder here, which a web server shows',
  needsUrl: false,
  settings: {
    buckets: text().register(ABOUT, {
      help: 'the folder that holds its bucket, under the name of its hotkey',
      takes: '<folder>',
      variables: ['AFFINE_BUCKETS'],
      question: 'The folder: the bucket is the hotkey in it',
      proposed: 'buckets',
    }),
  },
  bucketOf: ({ buckets }) => bucketIn(buckets),
})

/** The bucket of each hotkey in this folder. */
export function bucketIn(folder: string): OwnBucket {
  return { folder, open: (hotkey) => directoryBucket(join(folder, hotkey)) }
}
