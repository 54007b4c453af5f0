import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { readNamed } from '../src/fault-text.ts'

const root = testFolder('fault-text')

it('a path that a user named wrongly is wrong usage; a disk that fails is not', async () => {
  const nope = join(root, 'nope')
  await expect(readNamed(open(nope))).rejects.toThrow(RangeError)
  await expect(readNamed(open(nope))).rejects.toThrow(nope)
  const broken = Object.assign(new Error('broken'), { code: 'EIO', path: nope })
  await expect(readNamed(Promise.reject(broken))).rejects.toBe(broken)
  await expect(readNamed(Promise.resolve(7))).resolves.toBe(7)
})
