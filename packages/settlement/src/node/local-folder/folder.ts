import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { type Account, account, LocalChain, type Neuron } from '@affine/chain'
import { keptSecret, OWNERS } from '@affine/node/disk'
import { LOCAL_NETWORK } from '../../networks.ts'
import { KeptChain } from './kept-chain.ts'

/** Of each validator, in rao. */
const STAKE = 1_000_000_000_000n

/** How many keys a local chain begins with, and how many neurons it has at most. */
type LocalStart = Readonly<Record<'validators' | 'miners' | 'maxUids', number>>

/** The path of the chain in a folder. */
export const chainIn = (folder: string): string => join(folder, 'chain.json')

/** Does a folder hold a local chain? */
export const hasChain = (folder: string): boolean => existsSync(chainIn(folder))

/** Reports whether a folder holds only what a first start writes before the chain. */
export async function isUnused(folder: string): Promise<boolean> {
  const names = await readdir(folder)
  return names.every((name) => /^(keys|lock|\.gitignore|\..*\.tmp)$/.test(name))
}

/**
 * Opens the chain in a folder that this process has locked. If there is none, makes one with so
 * many keys.
 */
export async function openFolder(folder: string, begin: LocalStart): Promise<KeptChain> {
  const file = chainIn(folder)
  if (hasChain(folder)) return KeptChain.resume(file)
  return KeptChain.begin(await newChain(folder, begin), file)
}

async function newChain(
  folder: string,
  { validators, miners, maxUids }: LocalStart,
): Promise<LocalChain> {
  const neurons = [
    ...(await newNeurons(folder, 'validator', validators, STAKE)),
    ...(await newNeurons(folder, 'miner', miners, 0n)),
  ]
  return LocalChain.create({
    netuid: 120,
    random: () => randomBytes(32),
    time: Date.now(),
    neurons,
    params: {
      tempo: LOCAL_NETWORK.protocol.epochBlocks,
      weightsRateLimit: 1,
      stakeThreshold: Number(STAKE),
      maxUids,
    },
  })
}

/** Neurons with new keys, which are numbered from 1. */
async function newNeurons(folder: string, role: string, count: number, stake: bigint) {
  const neurons: Pick<Neuron, 'hotkey' | 'stake'>[] = []
  for (let number = 1; number <= count; number++) {
    const { hotkey } = await keyNamed(folder, `${role}-${number}`)
    neurons.push({ hotkey, stake })
  }
  return neurons
}

/** Where the keys of a local chain are, each in a file of its name. */
export const keysIn = (folder: string): string => join(folder, 'keys')

/**
 * The key of this name: the one in the folder, or else a new one, which is synced to disk for its
 * owner alone.
 * @throws AlteredFile, as a rejection, if the file does not hold a key.
 */
export async function keyNamed(folder: string, name: string): Promise<Account> {
  const place = { folder: keysIn(folder) }
  const secret = await keptSecret(directoryBucket(place.folder, OWNERS), name, place)
  return account(Buffer.from(secret, 'hex'))
}
