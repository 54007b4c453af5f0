import { mkdir, readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
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

export const port: (text: string) => number = whole(0, 65_535)
