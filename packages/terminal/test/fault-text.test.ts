import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { readNamed } from '../src/fault-text.ts'

const root = testFolder('fault-text')

it('rejects a wrong path with a RangeError, but not a failing disk', async () => {
  const nope = join(root, 'nope')
  await expect(readNamed(open(nope))).rejects.toThrow(RangeError)
  await expect(readNamed(open(nope))).rejects.toThrow(nope)
  const broken = Object.assign(new Error('broken'), { code: 'EIO', path: nope })
  await expect(readNamed(Promise.reject(broken))).rejects.toBe(broken)
  await expect(readNamed(Promise.resolve(7))).resolves.toBe(7)
})
