import { statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { PROTOCOL } from '@affine/duel'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { checkDisks } from '../src/examination/own-checks.ts'
import { estimateLoads } from '../src/service/load.ts'

const root = testFolder('disk')

it('a disk must have free space for two days, and should for thirty', async () => {
  const file = join(root, 'file')
  await writeFile(file, '')
  const bucket = { open: directoryBucket, folder: root }
  const { bavail, bsize } = await statfs(root)
  const { mostEpoch: load } = estimateLoads(PROTOCOL, { neurons: [] })
  const room = async (days: number) => {
    const laneBytes = (bavail * bsize) / days / 2 / 20
    const mostEpoch = { ...load, laneBytes, bucketBytes: 1 }
    const [found, other] = await checkDisks(
      { folder: join(root, 'not', 'there'), bucket },
      { mostEpoch, dayEpochs: 20 },
    )
    expect(other?.result).toBe('ok')
    return found?.result
  }
  expect([await room(1.5), await room(10), await room(40)]).toEqual(['fail', 'warn', 'ok'])
  const isFile = { folder: join(file, 'below'), bucket }
  const loads = { mostEpoch: load, dayEpochs: 20 }
  expect((await checkDisks(isFile, loads))[0]).toMatchObject({
    code: 'DISK_FAILS',
    fields: { error: 'ENOTDIR' },
  })
})
