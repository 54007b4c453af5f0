import { mkdir, readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Account, account } from '@affine/chain'
import { InvalidArgumentError } from '@commander-js/extra-typings'

type Reader = (text: string) => number

const reader =
  (what: string, pattern: RegExp, low: number, high: number): Reader =>
  (text) => {
    if (pattern.test(text) && Number(text) >= low && Number(text) <= high) return Number(text)
    throw new InvalidArgumentError(`Expected a ${what}, ${low} to ${high}.`)
  }

/** Reads an option that must be a whole number in a range. */
export const whole = (low: number, high: number): Reader => reader('whole number', /^\d+$/, low, high)
/** Reads an option that must be a share, 0 to 1. */
export const shareOption: Reader = reader('number', /\S/, 0, 1)

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
