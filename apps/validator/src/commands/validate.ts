import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { directoryBucket } from '@affine/blocks/directory'
import type { Account } from '@affine/chain'
import {
  interrupted,
  type Output,
  openLive,
  printable,
  raceAbort,
  shortHotkey,
} from '@affine/verifier'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { chutesAgents } from '../chutes.ts'
import { holdFolder } from '../folder-lock.ts'
import { guard, healthOf, pages } from '../health.ts'
import { metricsOf } from '../metrics.ts'
import { endpointAgents } from '../miner-client.ts'
import { narrate, serviceOutput, warn } from '../narrate.ts'
import { listen } from '../reference-miner.ts'
import { NO_KEY, readService, type Settings, serviceCommand } from '../settings.ts'
import { type Event, emits, placesOf } from '../setup.ts'
import { Validator } from '../validator.ts'
import { neuronOf } from './chain.ts'

const EXAMPLES = `
Every setting may be in the environment instead, or in a file .env: \`af config\` names them all, and shows what is in force.

Examples:
  $ af validate --network http://127.0.0.1:9944 --key localnet/keys/validator-1 --folder validator-1 --buckets buckets
  $ af validate --network finney --wallet validator --hotkey default --folder validator --bucket-url https://my.host/b`

/** `af validate`: one validator, until it is stopped. */
export const validate: CommandUnknownOpts = serviceCommand('validate')
  .description('run a validator: sample, seal, audit, attest, set weights')
  .addHelpText('after', EXAMPLES)
  .action(async ({ json, ...flags }, command) => {
    const { settings, account, problems, warnings, hide } = await readService(flags)
    if (!settings || !account)
      return command.error(problems.map((text) => `✘ ${printable(text, 1000)}`).join('\n'))
    const screen = serviceOutput(json === true, hide)
    for (const text of warnings) warn(screen, text)
    const hidden = (error: Error) =>
      Promise.reject(Object.assign(error, { message: hide(error.message) }))
    await operate(settings, account, screen).catch(hidden)
  })

/** Validates until a signal stops it, the chain is gone for good, or nothing gets on. */
async function operate(settings: Settings, account: Account, screen: Output): Promise<void> {
  const [{ hotkey }, { folder, stall, grace, metrics: port }] = [account, settings]
  await using _folder = await holdFolder(folder)
  const clock = () => performance.now()
  const health = healthOf(clock)
  const listeners = [health.on, (event: Event) => narrate(event, screen, shortHotkey)]
  const on = (event: Event): void => listeners.forEach((hear) => void hear(event))
  const trouble = (what: string, message: string): void =>
    on({ type: 'problem', what, error: new Error(message) })
  guard(2 * stall, health, (why) => trouble('stalled', `${why}: it ends, to be started again`))
  const signal = interrupted()
  const onRetry = ({ message }: Error): void => trouble('node', `${message}; trying the next`)
  const options = { ...settings, salts: directoryBucket(folder), onRetry }
  await using opened = await raceAbort(openLive(settings.network, options), signal)
  const { chain, network } = opened
  const [{ permit, lastUpdate }] = await raceAbort(neuronOf(chain, hotkey), signal)
  const metrics = metricsOf(hotkey, lastUpdate, clock)
  listeners.push(metrics.on)
  using served =
    port === undefined
      ? null
      : await listen(pages(stall, health, metrics), port, settings.metricsHost)

  const { chutesApiKey: apiKey, concurrency, replay = false } = settings
  const isHosted = network.platform === 'chutes'
  if (isHosted && !apiKey) throw new RangeError(NO_KEY)
  const [places, emit, now] = [
    placesOf(settings, hotkey, network),
    emits(network, settings),
    Date.now,
  ]
  const agent =
    isHosted && apiKey
      ? chutesAgents({ apiKey, concurrency, now, on })
      : endpointAgents(concurrency, now, on)
  const validator = new Validator({
    ...{ ...places, chain, account, network, emit, replay, agent, on, now, random: randomBytes },
    openBucket: (...named) => {
      const source = places.openBucket(...named)
      return (
        source && {
          ...source,
          read: (...asked) => source.read(...asked).finally(() => on({ type: 'read' })),
        }
      )
    },
  })
  const dry = emit ? '' : ', a dry run: nothing is sent to the chain without --emit'
  const at = served ? `; /metrics and /healthz are at ${served.url}` : ''
  screen.line(`validating as ${hotkey}${dry}${at}`, {
    type: 'started',
    hotkey,
    emit,
    url: served?.url,
  })
  if (!permit)
    warn(
      screen,
      'it has no validator permit yet: permits go to the highest stakes once every tempo',
    )
  for await (const head of chain.heads(signal)) validator.onHead(head)
  screen.line(`stopping, in ${grace} s at the latest; at a second signal at once`, {
    type: 'stopping',
  })
  await Promise.race([validator.stop(), sleep(grace * 1000)])
  signal.throwIfAborted()
}
