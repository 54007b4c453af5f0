import { BLOCK_MS, type Neuron } from '@affine/chain'
import { type Protocol, quotaOf } from '@affine/duel'
import { registry } from '@affine/envs'

/** The mean sizes of samples with short replies, of games and of others: see docs/scale.md. */
const [GAME_BYTES, SAMPLE_BYTES] = [16_000, 1800]
const DAY_MS = 86_400_000

/** What one validator does for a duel in a period. */
export interface Load {
  /** Each goes to both miners. */
  readonly challenges: number
  /** The most requests to miners: one for each turn of each miner. */
  readonly requests: number
  /** The size of its own lane. Its folder holds the lane twice, in the journal and in blocks. */
  readonly laneBytes: number
  /** The size of all lanes: its bucket holds them all. */
  readonly bucketBytes: number
}

/** What a long duel takes of one validator. */
export interface Loads {
  /** How many validators have lanes: those with a permit and stake that can vote. */
  readonly voters: number
  readonly firstEpoch: Load
  readonly mostEpoch: Load
  /** A day of such epochs. */
  readonly mostDay: Load
}

/** What a duel takes of one validator on a subnet with a block every 12 seconds. */
export function loadsOf(
  protocol: Protocol,
  { neurons }: { readonly neurons: readonly Pick<Neuron, 'permit' | 'stake'>[] },
): Loads {
  const able = neurons.filter(({ permit, stake }) => permit && stake > 0n)
  const voters = Math.min(Math.max(1, able.length), protocol.validatorsMost)
  const { duelEpochs, epochBlocks } = protocol
  return {
    voters,
    firstEpoch: loadOf(1, voters, protocol),
    mostEpoch: loadOf(duelEpochs, voters, protocol),
    mostDay: loadOf(duelEpochs, voters, protocol, DAY_MS / (epochBlocks * BLOCK_MS)),
  }
}

/** The load of `epochs` epochs like the `epochIndex`-th of a duel, with every environment open. */
function loadOf(epochIndex: number, voters: number, { envs }: Protocol, epochs = 1): Load {
  const played = Object.entries(envs).map(([env, constants]) => {
    const quota = quotaOf(epochIndex, constants)
    const bytes = constants.players === 2 ? GAME_BYTES : SAMPLE_BYTES
    return { quota, requests: quota * requestsOf(env), bytes: quota * bytes }
  })
  const sumOf = (key: 'quota' | 'requests' | 'bytes'): number =>
    epochs * played.reduce((sum, each) => sum + each[key], 0)
  const [challenges, requests, laneBytes] = [sumOf('quota'), sumOf('requests'), sumOf('bytes')]
  return { challenges, requests, laneBytes, bucketBytes: voters * laneBytes }
}

/** The most requests of one challenge: a game's replies are those of both miners. */
function requestsOf(env: string): number {
  const spec = registry.get(env)
  if (spec === undefined) return 0
  return spec.game ? spec.maxSteps : 2 * spec.maxSteps
}

/** A number of bytes for people, with three digits. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), units.length - 1)
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step]}`
}
