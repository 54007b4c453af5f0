import { mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { faultText, readNamed } from '../src/fault-text.ts'

const root = testFolder('fault-text')
beforeAll(async () => {
  await writeFile(join(root, 'file'), '')
})

const saidOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: Error) => faultText(error),
  )

it('what the system refuses is a sentence that names the path', async () => {
  const [nope, file, below] = [join(root, 'nope'), join(root, 'file'), join(root, 'file/x')]
  const said = [
    await saidOf(open(nope)),
    await saidOf(readdir(nope)),
    await saidOf(open(below)),
    await saidOf(readdir(file)),
    await saidOf(open(root, 'w')),
    await saidOf(mkdir(file)),
    await saidOf(mkdir('/proc/af')),
  ]
  const text = `${said.join('\n')}\n`.replaceAll(root, '<root>')
  await expect(text).toMatchFileSnapshot('snapshots/fault-text.txt')
})

it('what else went wrong is as it is', () => {
  expect(faultText(new Error('ENOENT, they say'))).toBe('ENOENT, they say')
  for (const code of ['ECONNREFUSED', 'ENOENT', 'ENOSPC'])
    expect(faultText(Object.assign(new Error('refused'), { code }))).toBe('refused')
})

it('a path that a user named wrongly is wrong usage; a disk that fails is not', async () => {
  const nope = join(root, 'nope')
  await expect(readNamed(open(nope))).rejects.toThrow(RangeError)
  await expect(readNamed(open(nope))).rejects.toThrow(nope)
  const broken = Object.assign(new Error('broken'), { code: 'EIO', path: nope })
  await expect(readNamed(Promise.reject(broken))).rejects.toBe(broken)
  await expect(readNamed(Promise.resolve(7))).resolves.toBe(7)
})
