import type { Output, Values } from '@affine/terminal'
import type { PRICES } from '../settings/table.ts'
import type { Loads } from './load.ts'

const MONTH_DAYS = 30
/** What Chutes takes for a deployment, in hours of its GPU. */
const DEPLOYMENT_HOURS = 3

/** In $. */
export type Prices = Values<typeof PRICES>

/** What an epoch takes. */
type Cost = Readonly<Record<'calls' | 'tokens' | 'dollars', number>>

type Payer = 'validator' | 'miner'

/** Prints the costs of these payers for an epoch and for a month, a line for each payer. */
export function sayCosts(
  payers: readonly Payer[],
  { mostEpoch, dayEpochs }: Loads,
  { gigabytePrice, gpuPrice }: Prices,
  screen: Output,
): void {
  const monthEpochs = dayEpochs * MONTH_DAYS
  const say = (who: Payer, epoch: Cost, of: string): void => {
    if (!payers.includes(who)) return
    const text = `${textOf(epoch, 1)} an epoch, ${textOf(epoch, monthEpochs)} a month`
    screen.line(`A ${who}, at most: ${text}: ${of}.`, { type: 'costs', who, monthEpochs, ...epoch })
  }
  const { requests, tokens, championRequests, championTokens, bucketBytes } = mostEpoch
  const kept = (bucketBytes / 1e9) * gigabytePrice
  const keeping = `to keep for a month what that adds to its bucket, at ${gigabytePrice} $ a GB`
  const free = 'it pays nothing for calls of private chutes'
  say('validator', { calls: requests, tokens, dollars: kept }, `${keeping}; ${free}`)
  const run = (24 / dayEpochs) * gpuPrice
  const deployment = `${dollarsText(DEPLOYMENT_HOURS * gpuPrice)} more for each deployment`
  const running = `its GPU at ${gpuPrice} $ an hour, and ${deployment}`
  say('miner', { calls: championRequests, tokens: championTokens, dollars: run }, running)
}

function textOf({ calls, tokens, dollars }: Cost, epochs: number): string {
  const millions = Number(((tokens * epochs) / 1e6).toPrecision(3)).toLocaleString('en-US')
  const count = Math.round(calls * epochs).toLocaleString('en-US')
  return `${count} calls, ${millions} million tokens and ${dollarsText(dollars * epochs)}`
}

const dollarsText = (dollars: number): string =>
  `${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} $`
