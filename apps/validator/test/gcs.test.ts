import type { Bucket } from '@affine/blocks'
import { describe, expect, it } from 'vitest'
import { bucketSuite, bytes, freshPath } from '../../../packages/blocks/test/bucket-suite.ts'
import { patient } from '../../../packages/blocks/test/patient.ts'
import { readSettings } from '../src/settings/settings.ts'
import { type GoogleServer, serveGoogle } from './google-server.ts'

function bucketAt({ variables }: GoogleServer, changed: object = {}): Bucket {
  const env = { ...variables, ...changed }
  const { settings } = readSettings({ network: 'local', folder: 'f' }, env, {})
  if (settings === undefined) throw new Error('the settings are not whole')
  return settings.bucket.open('hotkey')
}

bucketSuite('a bucket in Google Cloud Storage', async () => {
  const server = await serveGoogle()
  const close = (): Promise<void> => Promise.resolve(server[Symbol.asyncDispose]())
  return { bucket: patient(bucketAt(server)), close }
})

describe('Google Cloud Storage', () => {
  it('is told, with no header of Amazon’s, to overwrite nothing', async () => {
    await using server = await serveGoogle()
    const path = freshPath()
    await bucketAt(server).write(path, bytes('one'))
    await expect(bucketAt(server).write(path, bytes('two'))).rejects.toThrow('other bytes')
    const [put] = server.asked
    expect(put?.method).toBe('PUT')
    expect(put?.headers).toContain('x-goog-if-generation-match')
    expect(put?.headers).not.toContain('if-none-match')
  })

  it('says that a key is wrong, and does not quote it', async () => {
    await using server = await serveGoogle()
    const wrong = bucketAt(server, { GCS_SECRET_ACCESS_KEY: 'another-secret' })
    const error = await wrong.write('x', bytes('x')).catch((error: Error) => error)
    expect(String(error)).toMatch(/status 403 SignatureDoesNotMatch$/)
    expect(String(error)).not.toContain('another-secret')
  })
})
