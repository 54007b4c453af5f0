import { BLOCK_MS, type Neuron } from '@affine/chain'
import { computeQuota, type Protocol } from '@affine/duel'
import { registry } from '@affine/envs'
import type { Output } from '@affine/terminal'

/** Mean bytes of a lane's line with short replies: of a game's line, and of an episode's line. */
const [GAME_BYTES, EPISODE_BYTES] = [16_000, 830]
/**
 * Mean tokens of one request with all its messages and its reply, by environment, without the
 * tokens of a chat template. Counted over 200 challenges, all played by a perfect player, with
 * npm's gpt-tokenizer 4.0.0 (o200k_base); its cl100k_base and llama3-tokenizer-js give the same
 * counts.
 */
const TOKENS: Readonly<Record<string, number>> = {
  'hex@0.1.0': 270,
  'mult8@0.1.0': 40,
  'pack@0.1.0': 317,
  'tictactoe@0.1.0': 194,
}
const DAY_MS = 86_400_000

export type Loads = ReturnType<typeof estimateLoads>

/**
 * Returns the load of one validator, and of the champion's endpoint, in the largest epoch: with the
 * maximum number of concurrent duels and every environment open. A block takes 12 seconds. The
 * number of validators is that of hotkeys with a permit and stake.
 */
export function estimateLoads(
  protocol: Protocol,
  { neurons }: { readonly neurons: readonly Pick<Neuron, 'permit' | 'stake'>[] },
) {
  const { duelEpochs, duelsMost: contenders, epochBlocks, validatorsMost } = protocol
  const able = neurons.filter(({ permit, stake }) => permit && stake > 0n)
  const voters = Math.min(Math.max(1, able.length), validatorsMost)
  // `samples` are the lines of the validator's lane: each is a game of two miners, or an episode of
  // one. The validator sends one request for each turn. `tokens` counts requests and replies, each
  // reply as only the answer. The validator's folder contains the `laneBytes` of its lane twice.
  const most = { samples: 0, requests: 0, tokens: 0, laneBytes: 0 }
  // Requests of all voters to the champion, which gets more than any contender, and their tokens.
  const champion = { championRequests: 0, championTokens: 0 }
  for (const [env, constants] of Object.entries(protocol.envs)) {
    const quota = computeQuota(duelEpochs, constants)
    const isGame = constants.players === 2
    // In an environment of one player, the champion plays each challenge once for all contenders.
    const samples = quota * (isGame ? contenders : contenders + 1)
    const turns = registry.get(env)?.maxSteps ?? 0
    // Players take turns in a game, so the champion has at most half of `turns`, rounded up.
    const championTurns = isGame ? contenders * Math.ceil(turns / 2) : turns
    const tokens = TOKENS[env] ?? 0
    most.samples += samples
    most.requests += samples * turns
    most.tokens += samples * turns * tokens
    champion.championRequests += voters * quota * championTurns
    champion.championTokens += voters * quota * championTurns * tokens
    most.laneBytes += samples * (isGame ? GAME_BYTES : EPISODE_BYTES)
  }
  // The validator's bucket contains the lanes of all voters.
  const mostEpoch = { ...most, ...champion, bucketBytes: voters * most.laneBytes }
  return { mostEpoch, dayEpochs: DAY_MS / (epochBlocks * BLOCK_MS) }
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), units.length - 1)
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step]}`
}

const MONTH_DAYS = 30
/** Price of a deployment on Chutes, in hours of its GPU. */
const DEPLOYMENT_HOURS = 3

/** $ a month for a GB in S3, and $ an hour for a GPU of Chutes. */
const [GIGABYTE_PRICE, GPU_PRICE] = [0.023, 1.8]

export function printCosts(
  who: 'validator' | 'miner',
  { mostEpoch, dayEpochs }: Loads,
  screen: Output,
): void {
  const { requests, tokens, championRequests, championTokens, bucketBytes } = mostEpoch
  const isMiner = who === 'miner'
  const epoch = isMiner
    ? { calls: championRequests, tokens: championTokens, dollars: (24 / dayEpochs) * GPU_PRICE }
    : { calls: requests, tokens, dollars: (bucketBytes / 1e9) * GIGABYTE_PRICE }
  const formatCost = (epochs: number): string => {
    const millions = Number(((epoch.tokens * epochs) / 1e6).toPrecision(3)).toLocaleString('en-US')
    const count = Math.round(epoch.calls * epochs).toLocaleString('en-US')
    return `${count} calls, ${millions} million tokens and ${formatDollars(epoch.dollars * epochs)}`
  }
  const monthEpochs = dayEpochs * MONTH_DAYS
  const costs = `${formatCost(1)} an epoch, ${formatCost(monthEpochs)} a month`
  const text = `Maximum for a ${who}: ${costs} (${isMiner ? MINER_COST : VALIDATOR_COST})`
  screen.line(text, { type: 'costs', who, monthEpochs, ...epoch })
}

const formatDollars = (dollars: number): string =>
  `${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} $`

const VALIDATOR_COST =
  `a month's storage of its lanes at ${GIGABYTE_PRICE} $ a GB; ` +
  'calls of private chutes are free'
const MINER_COST =
  `its GPU at ${GPU_PRICE} $ an hour, ` +
  `plus ${formatDollars(DEPLOYMENT_HOURS * GPU_PRICE)} for each deployment`
