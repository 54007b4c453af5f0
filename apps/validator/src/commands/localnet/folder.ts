import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LocalChain, type Neuron } from '@affine/chain'
import { LOCAL_NETWORK } from '@affine/settlement'
import { KeptChain } from './kept-chain.ts'
import { keyNamed } from './keys.ts'

/** Where a localnet is, and how many keys it begins with, unless it is told otherwise. */
export const DEFAULTS = { port: 9944, out: 'localnet', validators: 3, miners: 2 } as const

const STAKE = 1_000_000_000_000n

type KeyCounts = { readonly [role in 'validators' | 'miners']?: number | undefined }

/** Where the chain of a localnet is kept. */
export const chainIn = (folder: string): string => join(folder, 'chain.json')

/** @throws RangeError for what is not the folder of a localnet. */
export function expectChain(folder: string): void {
  if (existsSync(chainIn(folder))) return
  throw new RangeError(`"--out" expected the folder of a localnet, got ${resolve(folder)}`)
}

/**
 * The chain of a localnet's folder, which this process holds; a new one, with the keys that are
 * asked for, where the folder is empty.
 * @throws RangeError when the folder has something else in it.
 */
export async function openFolder(folder: string, asked: KeyCounts): Promise<KeptChain> {
  const file = chainIn(folder)
  if (existsSync(file)) return KeptChain.resume(file)
  return KeptChain.begin(await newChain(folder, asked), file)
}

/** @throws RangeError where the chain began with other numbers of keys than are asked for. */
export async function expectBegun(chain: LocalChain, asked: KeyCounts): Promise<void> {
  const { neurons } = await chain.snapshot(0)
  const validators = neurons.filter(({ stake }) => stake > 0n).length
  const began = { validators, miners: neurons.length - validators }
  for (const role of ['validators', 'miners'] as const) {
    const wanted = asked[role] ?? began[role]
    if (wanted === began[role]) continue
    const begun = `${began[role]}, with which the chain of this folder began`
    const advice = 'miners are added by af localnet add-miner'
    throw new RangeError(`"--${role}" expected ${begun}, got ${wanted}: ${advice}`)
  }
}

async function newChain(folder: string, asked: KeyCounts): Promise<LocalChain> {
  await expectEmpty(folder)
  const { validators = DEFAULTS.validators, miners = DEFAULTS.miners } = asked
  const neurons = [
    ...(await newNeurons(folder, { role: 'validator', count: validators, stake: STAKE })),
    ...(await newNeurons(folder, { role: 'miner', count: miners, stake: 0n })),
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
    },
  })
}

/** Is there nothing but the lock, and what a start that was broken off has left? */
async function expectEmpty(folder: string): Promise<void> {
  const names = await readdir(folder)
  const others = names.filter((name) => !/^(keys|lock|\..*\.tmp)$/.test(name))
  if (others.length === 0) return
  throw new RangeError(
    `"--out" expected an empty folder, or that of a localnet, got ${resolve(folder)}`,
  )
}

interface Seats {
  readonly role: string
  readonly count: number
  readonly stake: bigint
}

/** So many neurons, whose keys are counted from 1. */
async function newNeurons(folder: string, { role, count, stake }: Seats) {
  const neurons: Pick<Neuron, 'hotkey' | 'stake'>[] = []
  for (let number = 1; number <= count; number++) {
    const { hotkey } = await keyNamed(folder, `${role}-${number}`)
    neurons.push({ hotkey, stake })
  }
  return neurons
}
