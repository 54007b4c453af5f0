import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import {
  type Account,
  account,
  type ChainEnvs,
  ChainError,
  LocalChain,
  type LocalOptions,
  serveLocal,
  verifyReady,
} from '@affine/chain'
import { Env } from '@affine/envs'
import { checkEnv } from '@affine/envs/check'
import { listModules } from '@affine/envs/modules'
import { AppendOnlyFile, OWNERS, openSecret } from '@affine/node/disk'
import { LOCAL_NETWORK } from '../networks.ts'
import { NODE_HOST } from './host.ts'

/** Stake of each validator in rao. */
const STAKE = 1_000_000_000_000n

/** Numbers of a new local chain's keys by role, and its maximum number of neurons. */
type LocalStart = Readonly<Record<'validators' | 'miners' | 'maxUids', number>>

export const chainPath = (folder: string): string => join(folder, 'chain.json')

export const hasChain = (folder: string): boolean => existsSync(chainPath(folder))

/** Reports whether a folder has only files that a first start writes before the chain. */
export async function isUnused(folder: string): Promise<boolean> {
  const names = await readdir(folder)
  return names.every((name) => /^(keys|lock|\.gitignore|\..*\.tmp)$/.test(name))
}

/** Opens the chain in a folder that this process has locked, or creates one as `begin` states. */
export async function openFolder(folder: string, begin: LocalStart): Promise<StoredChain> {
  const file = chainPath(folder)
  if (hasChain(folder)) return StoredChain.resume(file)
  const validators = await newKeys(folder, 'validator', begin.validators)
  const miners = await newKeys(folder, 'miner', begin.miners)
  const params = { maxUids: begin.maxUids }
  const options = { random: () => randomBytes(32), time: Date.now(), params }
  return StoredChain.begin(createLocalChain(validators, miners, options), file)
}

/** Opens or creates keys, numbered from 1. Resolves with their hotkeys. */
async function newKeys(folder: string, role: string, count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, i) => `${role}-${i + 1}`)
  const keys = await Promise.all(names.map((name) => openKey(folder, name)))
  return keys.map(({ hotkey }) => hotkey)
}

/** Quotas of an environment on a new local network, by number of players. */
const QUOTAS = { 1: { quotaFirst: 32, quotaMost: 512 }, 2: { quotaFirst: 8, quotaMost: 64 } }

/**
 * Checks the environments of loaded modules, and returns their constants if there are any.
 * @throws Error that describes the first flaw.
 */
function createEnvs(): ChainEnvs | undefined {
  const specs = [...listModules().values()].flat()
  if (specs.length === 0) return undefined
  const constants = specs.map((spec) => {
    checkEnv(new Env(spec))
    const players = spec.game === undefined ? 1 : 2
    return [spec.id, { specHash: spec.specHash(), players, ...QUOTAS[players] }] as const
  })
  return Object.fromEntries(constants.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Creates a chain with the rules of the local network, and with the environments of the loaded
 * modules, or the built-in environments if no module is loaded. Uids follow the order of the
 * hotkeys: first the validators', then the miners'.
 */
export function createLocalChain(
  validators: readonly string[],
  miners: readonly string[],
  { params, ...options }: Pick<LocalOptions, 'random' | 'time' | 'params'>,
): LocalChain {
  return LocalChain.create({
    ...options,
    netuid: 120,
    envs: createEnvs(),
    neurons: [
      ...validators.map((hotkey) => ({ hotkey, stake: STAKE })),
      ...miners.map((hotkey) => ({ hotkey, stake: 0n })),
    ],
    params: {
      ...params,
      tempo: LOCAL_NETWORK.protocol.epochBlocks,
      weightsRateLimit: 1,
      stakeThreshold: Number(STAKE),
    },
  })
}

/** Returns the folder of a local chain's keys. Each file has the name of its key. */
export const keysPath = (folder: string): string => join(folder, 'keys')

/**
 * Resolves with the key of this name. A new key is synced to disk with access only for its owner.
 * @throws AlteredFile, as a rejection, if the file does not contain a key.
 */
export async function openKey(folder: string, name: string): Promise<Account> {
  const place = { folder: keysPath(folder) }
  const secret = await openSecret(directoryBucket(place.folder, OWNERS), name, place)
  return account(Buffer.from(secret, 'hex'))
}

type Serve = ReturnType<typeof serveLocal>

/**
 * A local chain and the file of its export. A block is synced to the file before anyone can read
 * it. Only this process may write to the file.
 */
export class StoredChain implements AsyncDisposable {
  readonly chain: LocalChain
  readonly #file: AppendOnlyFile
  readonly #answer: Serve
  /** Number of blocks in the file. */
  #count: number
  #saved: Promise<void> = Promise.resolve()

  private constructor(chain: LocalChain, file: AppendOnlyFile) {
    this.chain = chain
    this.#file = file
    this.#answer = serveLocal(chain)
    this.#count = chain.height + 1
  }

  /** Writes a new chain to a new file. */
  static async begin(chain: LocalChain, path: string): Promise<StoredChain> {
    const bytes = new TextEncoder().encode(chain.export())
    await directoryBucket(dirname(path)).write(basename(path), bytes)
    return new StoredChain(chain, await AppendOnlyFile.open(path, bytes.length))
  }

  /**
   * Opens the chain in a file. Removes an incomplete last line: its writer was killed before anyone
   * could read that block.
   * @throws Error, as a rejection, if another block does not match its hash: the file was altered.
   */
  static async resume(path: string): Promise<StoredChain> {
    const text = await NODE_HOST.readText(path)
    await verifyReady()
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const chain = importChain(whole, path)
    return new StoredChain(chain, await AppendOnlyFile.open(path, Buffer.byteLength(whole)))
  }

  /** Produces the next block at `time` in milliseconds. Resolves once it is on disk. */
  produce(time: number): Promise<void> {
    const made = this.chain.produce(time)
    this.#saved = made.then(() => this.#save())
    return this.#saved
  }

  /** Answers as `serveLocal` does, once every block in the answer is on disk. */
  readonly serve: Serve = async (request) => {
    const response = await this.#answer(request)
    await this.#saved
    return response
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]()
  }

  /** Appends to the file the blocks that it lacks. */
  async #save(): Promise<void> {
    const log = this.chain.export(this.#count)
    await this.#file.append(log.slice(log.indexOf('\n') + 1))
    this.#count = this.chain.height + 1
  }
}

function importChain(text: string, path: string): LocalChain {
  try {
    return LocalChain.import(text, () => randomBytes(32))
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    const advice = 'restore it, or move its folder away to start from scratch'
    throw new Error(`${path} was altered (${error.message}): ${advice}`)
  }
}
