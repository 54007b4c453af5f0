import { mkdir, readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Account, account } from '@affine/chain'
import { InvalidArgumentError } from '@commander-js/extra-typings'

/** Reads an option that must be a whole number in a range. */
export function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= low && value <= high) return value
    throw new InvalidArgumentError(`Expected a whole number, ${low} to ${high}.`)
  }
}

/** Reads an option that must be a share, 0 to 1. */
export function shareOption(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw new InvalidArgumentError('Expected a number, 0 to 1.')
}

/** The folder that "--out" names, made if it is not there. @throws RangeError when there is something in it. */
export async function emptyFolder(path: string): Promise<string> {
  const folder = resolve(path)
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new RangeError(`"--out" expected an empty folder, got ${folder}`)
  return folder
}

/** The account whose 32-byte secret "--key" names, as 64 hex digits. Says what is wrong, never the secret. */
export async function readKey(path: string): Promise<Account> {
  const text = (await readFile(path, 'utf8')).trim()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new RangeError(`${path} expected to hold a key: 64 lower-case hex digits`)
  return account(Buffer.from(text, 'hex'))
}
