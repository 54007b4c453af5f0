import { BLOCK_MS, type Neuron } from '@affine/chain'
import { computeQuota, type Protocol } from '@affine/duel'
import { registry } from '@affine/envs'
import type { Output } from '@affine/terminal'

/** Mean size of a line in bytes with short replies: of a game, and of an episode. */
const [GAME_BYTES, EPISODE_BYTES] = [16_000, 830]
/**
 * Mean tokens of a request and its reply, with all messages of the request, without those of a chat
 * template. Counted over 200 challenges, all played by a perfect player, with npm's gpt-tokenizer
 * 4.0.0 (o200k_base); its cl100k_base and llama3-tokenizer-js give the same counts.
 */
const TOKENS: Readonly<Record<string, number>> = {
  'hex@0.1.0': 270,
  'mult8@0.1.0': 40,
  'pack@0.1.0': 317,
  'tictactoe@0.1.0': 194,
}
const DAY_MS = 86_400_000

/** The load of one validator with the maximum number of duels, in its largest epoch. */
export interface Loads {
  readonly mostEpoch: {
    /** Lines of its lane: games, and episodes of one miner. */
    readonly samples: number
    /** Maximum number of requests to miners: one for each turn of each miner. */
    readonly requests: number
    /** Tokens of these requests and their replies, if a reply contains only the answer. */
    readonly tokens: number
    /** Requests of all voters to the champion, which gets more than any contender. */
    readonly championRequests: number
    readonly championTokens: number
    /**
     * Size of the lane of this validator. Its folder contains the lane twice, in the journal and in
     * blocks.
     */
    readonly laneBytes: number
    /** Size of all lanes, which its bucket contains. */
    readonly bucketBytes: number
  }
  /** Epochs a day. */
  readonly dayEpochs: number
}

/**
 * Returns the load of one validator with the maximum number of concurrent duels and every
 * environment open, on a subnet with a block every 12 seconds. Lanes come from the validators that
 * can vote: those with a permit and stake.
 */
export function estimateLoads(
  protocol: Protocol,
  { neurons }: { readonly neurons: readonly Pick<Neuron, 'permit' | 'stake'>[] },
): Loads {
  const { duelEpochs, duelsMost: contenders, epochBlocks, validatorsMost } = protocol
  const able = neurons.filter(({ permit, stake }) => permit && stake > 0n)
  const voters = Math.min(Math.max(1, able.length), validatorsMost)
  const played = Object.entries(protocol.envs).map(([env, constants]) => {
    const quota = computeQuota(duelEpochs, constants)
    const isGame = constants.players === 2
    // In an environment of one player, the champion plays each challenge once for all contenders.
    const samples = quota * (isGame ? contenders : contenders + 1)
    const turns = registry.get(env)?.maxSteps ?? 0
    // In a game, the side that begins has the odd turn.
    const each = isGame ? contenders * Math.ceil(turns / 2) : turns
    return {
      samples,
      requests: samples * turns,
      tokens: TOKENS[env] ?? 0,
      championRequests: voters * quota * each,
      lineBytes: isGame ? GAME_BYTES : EPISODE_BYTES,
    }
  })
  const sum = (of: (env: (typeof played)[number]) => number): number =>
    played.reduce((so, env) => so + of(env), 0)
  const laneBytes = sum(({ samples, lineBytes }) => samples * lineBytes)
  const mostEpoch = {
    samples: sum(({ samples }) => samples),
    requests: sum(({ requests }) => requests),
    tokens: sum(({ requests, tokens }) => requests * tokens),
    championRequests: sum(({ championRequests }) => championRequests),
    championTokens: sum(({ championRequests, tokens }) => championRequests * tokens),
    laneBytes,
    bucketBytes: voters * laneBytes,
  }
  return { mostEpoch, dayEpochs: DAY_MS / (epochBlocks * BLOCK_MS) }
}

/** Formats a number of bytes for people, with three digits. */
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

/** The cost of an epoch. */
type Cost = Readonly<Record<'calls' | 'tokens' | 'dollars', number>>

/** Prints the costs of a payer for an epoch and for a month. */
export function printCosts(
  who: 'validator' | 'miner',
  { mostEpoch, dayEpochs }: Loads,
  screen: Output,
): void {
  const monthEpochs = dayEpochs * MONTH_DAYS
  const say = (epoch: Cost, reason: string): void => {
    const text = `${formatCost(epoch, 1)} an epoch, ${formatCost(epoch, monthEpochs)} a month`
    const record = { type: 'costs', who, monthEpochs, ...epoch }
    screen.line(`Maximum for a ${who}: ${text} (${reason})`, record)
  }
  const { requests, tokens, championRequests, championTokens, bucketBytes } = mostEpoch
  if (who === 'validator') {
    const dollars = (bucketBytes / 1e9) * GIGABYTE_PRICE
    const keeping = `a month's storage of its lanes at ${GIGABYTE_PRICE} $ a GB`
    say({ calls: requests, tokens, dollars }, `${keeping}; calls of private chutes are free`)
    return
  }
  const dollars = (24 / dayEpochs) * GPU_PRICE
  const deployment = `plus ${formatDollars(DEPLOYMENT_HOURS * GPU_PRICE)} for each deployment`
  const running = `its GPU at ${GPU_PRICE} $ an hour, ${deployment}`
  say({ calls: championRequests, tokens: championTokens, dollars }, running)
}

function formatCost({ calls, tokens, dollars }: Cost, epochs: number): string {
  const millions = Number(((tokens * epochs) / 1e6).toPrecision(3)).toLocaleString('en-US')
  const count = Math.round(calls * epochs).toLocaleString('en-US')
  return `${count} calls, ${millions} million tokens and ${formatDollars(dollars * epochs)}`
}

const formatDollars = (dollars: number): string =>
  `${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} $`
