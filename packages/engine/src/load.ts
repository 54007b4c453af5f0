import { BLOCK_MS, type Neuron } from '@affine/chain'
import { type Protocol, quotaOf } from '@affine/duel'
import { registry } from '@affine/envs'

/** The mean sizes of a game's line and of an episode's, with short replies. */
const [GAME_BYTES, EPISODE_BYTES] = [16_000, 830]
const DAY_MS = 86_400_000

/** What one validator does in a period. */
export interface Load {
  /** The lines of its lane: games, and episodes of one miner. */
  readonly samples: number
  /** The most requests to miners: one for each turn of each miner. */
  readonly requests: number
  /** The size of its own lane. Its folder holds the lane twice, in the journal and in blocks. */
  readonly laneBytes: number
  /** The size of all lanes: its bucket holds them all. */
  readonly bucketBytes: number
}

/** What a full list of duels, which all began together, takes of one validator. */
export interface Loads {
  /** How many validators have lanes: those with a permit and stake that can vote. */
  readonly voters: number
  readonly firstEpoch: Load
  readonly mostEpoch: Load
  /** A day of such epochs. */
  readonly mostDay: Load
}

/**
 * What as many duels as there may be at once take of one validator on a subnet with a block every
 * 12 seconds.
 */
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

/** The load of `epochs` epochs like the `epochIndex`-th of duels, with every environment open. */
function loadOf(epochIndex: number, voters: number, protocol: Protocol, epochs = 1): Load {
  const contenders = protocol.duelsMost
  const played = Object.entries(protocol.envs).map(([env, constants]) => {
    const quota = quotaOf(epochIndex, constants)
    const isGame = constants.players === 2
    // Of one player the champion plays each challenge once, for all contenders.
    const samples = quota * (isGame ? contenders : contenders + 1)
    const requests = samples * (registry.get(env)?.maxSteps ?? 0)
    return { samples, requests, laneBytes: samples * (isGame ? GAME_BYTES : EPISODE_BYTES) }
  })
  const sumOf = (key: 'samples' | 'requests' | 'laneBytes'): number =>
    epochs * played.reduce((sum, each) => sum + each[key], 0)
  const [samples, requests, laneBytes] = [sumOf('samples'), sumOf('requests'), sumOf('laneBytes')]
  return { samples, requests, laneBytes, bucketBytes: voters * laneBytes }
}

/** A number of bytes for people, with three digits. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), units.length - 1)
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step]}`
}
