import { utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import { ChainError } from '../chain-error.ts'
import { asciiLine } from './ascii-line.ts'

/**
 * A folder for the salts of committed weights. It must outlive the process, and overwrite nothing.
 */
export interface SaltStore {
  read(path: string, limit: number): Promise<Uint8Array | null>
  write(path: string, bytes: Uint8Array): Promise<void>
}

const MAX_FILE_BYTES = 65_536

const u16s = z.array(z.int().check(z.minimum(0), z.maximum(65_535)))

/** What opens a commit of weights: all that its hash covers, except the hotkey and the subnet. */
export interface Opening {
  readonly uids: readonly number[]
  readonly values: readonly number[]
  readonly salt: readonly number[]
  readonly versionKey: string
}

const openingShape: z.ZodMiniType<Opening> = z.object({
  uids: u16s,
  values: u16s,
  salt: u16s,
  versionKey: z.string().check(z.regex(/^\d{1,20}$/)),
})

/**
 * Writes what opens the commit of this hash.
 * @throws ChainError `NoSalts`, as a rejection, if the store cannot write it.
 */
export async function keepOpening(salts: SaltStore, hash: string, opening: Opening): Promise<void> {
  const path = pathOf(hash)
  await salts.write(path, utf8ToBytes(JSON.stringify(opening))).catch(failed(path))
}

/**
 * Reads what opens the commit of this hash; null if the store does not have it.
 * @throws ChainError `NoSalts`, as a rejection, if it cannot be read, or is something else.
 */
export async function openingOf(salts: SaltStore, hash: string): Promise<Opening | null> {
  const path = pathOf(hash)
  const bytes = await salts.read(path, MAX_FILE_BYTES).catch(failed(path))
  if (bytes === null) return null
  try {
    return openingShape.parse(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    throw new ChainError(
      'NoSalts',
      `${path} expected to hold the weights and the salt of a commit, got something else`,
    )
  }
}

const pathOf = (hash: string): string => `weights/${hash}`

const failed = (path: string) => (cause: Error) => {
  throw new ChainError('NoSalts', `cannot write or read ${path}: ${asciiLine(cause.message)}`, {
    cause,
  })
}
