import { BLOCK_MS, type Neuron } from '@affine/chain'
import { type Protocol, quotaOf } from '@affine/duel'
import { registry } from '@affine/envs'
import type { Output } from '@affine/terminal'

/** The mean sizes of a game's line and of an episode's, with short replies. */
const [GAME_BYTES, EPISODE_BYTES] = [16_000, 830]
/**
 * The mean tokens of a request and its reply: all messages of the request, without what a chat
 * template adds. Counted over 200 challenges, all played by a perfect player, by npm's
 * gpt-tokenizer 4.0.0 (o200k_base); its cl100k_base and llama3-tokenizer-js count the same.
 */
const TOKENS: Readonly<Record<string, number>> = {
  'hex@0.1.0': 270,
  'mult8@0.1.0': 40,
  'pack@0.1.0': 317,
  'tictactoe@0.1.0': 194,
}
const DAY_MS = 86_400_000

/** What a full list of duels takes of one validator, in its largest epoch. */
export interface Loads {
  readonly mostEpoch: {
    /** The lines of its lane: games, and episodes of one miner. */
    readonly samples: number
    /** The most requests to miners: one for each turn of each miner. */
    readonly requests: number
    /** What these requests and their replies have, if a reply is the answer alone. */
    readonly tokens: number
    /** What all voters ask the champion, which is asked more than any contender. */
    readonly championRequests: number
    readonly championTokens: number
    /** The size of its own lane. Its folder holds the lane twice, in the journal and in blocks. */
    readonly laneBytes: number
    /** The size of all lanes: its bucket holds them all. */
    readonly bucketBytes: number
  }
  /** The epochs of a day. */
  readonly dayEpochs: number
}

/**
 * What as many duels as there may be at once take of one validator, with every environment open, on
 * a subnet with a block every 12 seconds. As many validators have lanes as can vote: those with a
 * permit and stake.
 */
export function loadsOf(
  protocol: Protocol,
  { neurons }: { readonly neurons: readonly Pick<Neuron, 'permit' | 'stake'>[] },
): Loads {
  const { duelEpochs, duelsMost: contenders, epochBlocks, validatorsMost } = protocol
  const able = neurons.filter(({ permit, stake }) => permit && stake > 0n)
  const voters = Math.min(Math.max(1, able.length), validatorsMost)
  const played = Object.entries(protocol.envs).map(([env, constants]) => {
    const quota = quotaOf(duelEpochs, constants)
    const isGame = constants.players === 2
    // Of one player the champion plays each challenge once, for all contenders.
    const samples = quota * (isGame ? contenders : contenders + 1)
    const turns = registry.get(env)?.maxSteps ?? 0
    // Of a game the side that begins has the odd turn.
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

/** A number of bytes for people, with three digits. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), units.length - 1)
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step]}`
}

const MONTH_DAYS = 30
/** What Chutes takes for a deployment, in hours of its GPU. */
const DEPLOYMENT_HOURS = 3

/** $ a month for a GB in a bucket, as S3's; and $ an hour for a GPU, as Chutes'. */
const [GIGABYTE_PRICE, GPU_PRICE] = [0.023, 1.8]

/** What an epoch takes. */
type Cost = Readonly<Record<'calls' | 'tokens' | 'dollars', number>>

type Payer = 'validator' | 'miner'

/** Prints the costs of these payers for an epoch and for a month, a line for each payer. */
export function sayCosts(
  payers: readonly Payer[],
  { mostEpoch, dayEpochs }: Loads,
  screen: Output,
): void {
  const monthEpochs = dayEpochs * MONTH_DAYS
  const say = (who: Payer, epoch: Cost, of: string): void => {
    if (!payers.includes(who)) return
    const text = `${costText(epoch, 1)} an epoch, ${costText(epoch, monthEpochs)} a month`
    screen.line(`A ${who}, at most: ${text}: ${of}.`, { type: 'costs', who, monthEpochs, ...epoch })
  }
  const { requests, tokens, championRequests, championTokens, bucketBytes } = mostEpoch
  const kept = (bucketBytes / 1e9) * GIGABYTE_PRICE
  const keeping = `to keep for a month what that adds to its bucket, at ${GIGABYTE_PRICE} $ a GB`
  const free = 'it pays nothing for calls of private chutes'
  say('validator', { calls: requests, tokens, dollars: kept }, `${keeping}; ${free}`)
  const run = (24 / dayEpochs) * GPU_PRICE
  const deployment = `${dollarsText(DEPLOYMENT_HOURS * GPU_PRICE)} more for each deployment`
  const running = `its GPU at ${GPU_PRICE} $ an hour, and ${deployment}`
  say('miner', { calls: championRequests, tokens: championTokens, dollars: run }, running)
}

function costText({ calls, tokens, dollars }: Cost, epochs: number): string {
  const millions = Number(((tokens * epochs) / 1e6).toPrecision(3)).toLocaleString('en-US')
  const count = Math.round(calls * epochs).toLocaleString('en-US')
  return `${count} calls, ${millions} million tokens and ${dollarsText(dollars * epochs)}`
}

const dollarsText = (dollars: number): string =>
  `${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} $`
