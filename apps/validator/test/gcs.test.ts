import type { Bucket } from '@affine/blocks'
import { bucketSuite } from '../../../packages/blocks/test/bucket-suite.ts'
import { patient } from '../../../packages/blocks/test/patient.ts'
import { readSettings } from '../src/settings/settings.ts'
import { type GoogleServer, serveGoogle } from './google-server.ts'

function bucketAt({ variables }: GoogleServer): Bucket {
  const { settings } = readSettings({ network: 'local', folder: 'f' }, variables, {})
  if (settings === undefined) throw new Error('the settings are not whole')
  return settings.bucket.open('hotkey')
}

bucketSuite('a bucket in Google Cloud Storage', async () => {
  const server = await serveGoogle()
  const close = (): Promise<void> => Promise.resolve(server[Symbol.asyncDispose]())
  return { bucket: patient(bucketAt(server)), close }
})
