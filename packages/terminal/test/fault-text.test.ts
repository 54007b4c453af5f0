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
  expect(await saidOf(open(nope))).toBe(`${nope} does not exist: check the spelling`)
  expect(await saidOf(readdir(nope))).toBe(`${nope} does not exist: check the spelling`)
  expect(await saidOf(open(below))).toBe(
    `${below} is a file or is below one, where a folder is expected`,
  )
  expect(await saidOf(readdir(file))).toBe(
    `${file} is a file or is below one, where a folder is expected`,
  )
  expect(await saidOf(open(root, 'w'))).toBe(`${root} is a folder, where a file is expected`)
  expect(await saidOf(mkdir(file))).toBe(`${file} is a file, where a folder is expected`)
  expect(await saidOf(mkdir('/proc/af'))).toBe('cannot make a folder at /proc/af')
})

it('what else went wrong is as it is', () => {
  expect(faultText(new Error('ENOENT, they say'))).toBe('ENOENT, they say')
  for (const code of ['ECONNREFUSED', 'ENOENT', 'ENOSPC'])
    expect(faultText(Object.assign(new Error('refused'), { code }))).toBe('refused')
})

it('an address at which nobody may listen, and a host that is not there, are a sentence', async () => {
  const refusal = (fault: object): Error => Object.assign(new Error('as the system says it'), fault)
  const listen = { syscall: 'listen', address: '8.8.8.8', port: 80 }
  expect(faultText(refusal({ ...listen, code: 'EACCES' }))).toBe(
    'this user may not listen at port 80: choose one from 1024 on',
  )
  expect(faultText(refusal({ ...listen, code: 'EADDRNOTAVAIL' }))).toBe(
    '8.8.8.8 is no address of this machine',
  )
  const lookedUp = { syscall: 'getaddrinfo', code: 'ENOTFOUND', hostname: 'foo' }
  expect(faultText(refusal(lookedUp))).toBe('the host foo is not found: check the spelling')
})

it('a path that a user named wrongly is wrong usage; a disk that fails is not', async () => {
  const nope = join(root, 'nope')
  await expect(readNamed(open(nope))).rejects.toThrow(
    new RangeError(`${nope} does not exist: check the spelling`),
  )
  const broken = Object.assign(new Error('broken'), { code: 'EIO', path: nope })
  await expect(readNamed(Promise.reject(broken))).rejects.toBe(broken)
  await expect(readNamed(Promise.resolve(7))).resolves.toBe(7)
})
