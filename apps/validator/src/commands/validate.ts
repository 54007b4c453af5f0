import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { directoryBucket } from '@affine/blocks/directory'
import type { Account, Chain } from '@affine/chain'
import type { Event, Setup } from '@affine/engine'
import { Validator } from '@affine/engine'
import type { Metrics } from '@affine/engine/metrics'
import {
  diskMonitor,
  guard,
  type Health,
  healthOf,
  healthPages,
  holdFolder,
  keepPrivate,
  OWNERS,
  seatNow,
  slotText,
} from '@affine/engine/node'
import { type Listening, listen } from '@affine/miners/node'
import { shortHotkey } from '@affine/report'
import { type Opened, openLive } from '@affine/settlement'
import { NODE_HOST, openThreads } from '@affine/settlement/node'
import { interrupted, leave, type Output, raceAbort, shown } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { emits } from '../buckets/places.ts'
import { neuronOf } from '../service/account.ts'
import { narrate, warn } from '../service/narrate.ts'
import type { Settings } from '../settings/schema.ts'
import { problemLines, readService, serviceCommand } from '../settings/service.ts'
import { setupOf } from './validate/validator-setup.ts'

const LOCAL =
  '--network http://127.0.0.1:9944 --key localnet/keys/validator-1 ' +
  '--folder validator-1 --buckets buckets'
const FINNEY =
  '--network finney --wallet validator --hotkey default ' +
  '--folder validator --bucket-url https://my.host/b'
const VARIABLES =
  'Every setting may be in the environment instead, or in a file .env: ' +
  '`af config` names them all, and shows what is in force.'

/** `af validate`: one validator, until it is stopped. */
export const validate: CommandUnknownOpts = serviceCommand('validate')
  .description('run a validator: sample, seal, audit, attest, set weights')
  .addHelpText(
    'after',
    `\n${VARIABLES}\n\nExamples:\n  $ af validate ${LOCAL}\n  $ af validate ${FINNEY}`,
  )
  .action(async ({ json, ...flags }, command) => {
    const { settings, account, problems, warnings, hide } = await readService(flags)
    if (!settings || !account) return command.error(problemLines(problems))
    // Here, so that other commands start without it.
    const { serviceOutput } = await import('../service/service-output.ts')
    const screen = serviceOutput(json === true, hide)
    for (const text of warnings) warn(screen, text)
    await operate(settings, account, screen).catch((error: Error) => {
      throw Object.assign(error, { message: hide(error.message) })
    })
  })

/** In milliseconds, whatever becomes of the machine's clock. */
const clock = (): number => performance.now()

/** Validates until a signal stops it, the chain is another one, or nothing gets on. */
async function operate(settings: Settings, account: Account, screen: Output): Promise<void> {
  const { hotkey } = account
  await using _folder = await holdFolder(settings.folder)
  for (const text of await keepPrivate(settings.folder)) warn(screen, text)
  const health = healthOf(clock)
  const hearers: Setup['on'][] = [health.on, (event) => narrate(event, screen, shortHotkey)]
  const on: Setup['on'] = (event) => {
    for (const hear of hearers) hear(event)
  }
  endWhenStalled(settings, health, on)
  const signal = interrupted()
  await using subnet = await raceAbort(openSubnet(settings, on), signal)
  const { own } = await raceAbort(neuronOf(subnet.chain, hotkey), signal)
  if (!settings.overwrite) await raceAbort(expectNoModel(hotkey, subnet.chain), signal)
  const { metricsOf } = await import('@affine/engine/metrics')
  const emit = emits(subnet.network, settings)
  const metrics = metricsOf({ hotkey, lastUpdate: own.lastUpdate, emit }, clock)
  hearers.push(metrics.on)
  const { chain } = subnet
  hearers.push(diskMonitor({ chain, folders: foldersOf(settings), now: Date.now, on }))
  using served = await servePages(settings, health, metrics)

  // One core is left to what follows the chain and asks the miners.
  await using threads = openThreads(Math.max(1, availableParallelism() - 1))
  const setup = setupOf(settings, account, { subnet, check: threads.check, on })
  const validator = new Validator(setup)
  sayStarted(setup, served?.url, screen)
  if (!own.permit) {
    const advice = 'permits go to the highest stakes once every tempo'
    warn(screen, `it has no validator permit yet: ${advice}`)
  }
  for await (const head of subnet.chain.heads(signal)) validator.onHead(head)
  const { grace } = settings
  const text = `stopping, in ${grace} s at the latest; at a second signal at once`
  screen.line(text, { type: 'stopping' })
  await Promise.race([validator.stop(), sleep(grace * 1000)])
  // To give back the folder takes its disk.
  setTimeout(leave, 5000, 130).unref()
  signal.throwIfAborted()
}

/** @throws Error when the hotkey's slot holds a miner's model. */
async function expectNoModel(hotkey: string, chain: Chain): Promise<void> {
  const seat = await seatNow(hotkey, chain)
  if (seat?.said?.kind !== 'miner') return
  const advice = 'validate with another hotkey, or with --overwrite'
  throw new Error(`the slot has a miner's model (${shown(slotText(seat))}): ${advice}`)
}

/** The folders that it fills: its own, and the buckets' where its bucket is among them. */
function foldersOf({ folder, bucket }: Settings): Readonly<Record<string, string>> {
  return { own: folder, ...(bucket.folder !== undefined && { buckets: bucket.folder }) }
}

/** Ends the process, for a supervisor to start it again, once nothing gets on. */
function endWhenStalled({ stall }: Settings, health: Health, on: Setup['on']): void {
  guard(2 * stall, health, {
    say: (why) => on(problem('stalled', `${why}: it ends, to be started again`)),
    end: () => void leave(1),
  })
}

/** Opens the chain. Every node that fails is a problem, and none the end once it is open. */
function openSubnet(settings: Settings, on: Setup['on']): Promise<Opened> {
  const { network, netuid, firstEpoch, folder } = settings
  return openLive(network, NODE_HOST, {
    netuid,
    firstEpoch,
    salts: directoryBucket(folder, OWNERS),
    onRetry: ({ message }) => on(problem('node', `${message}; trying again`)),
  })
}

function problem(what: string, message: string): Event {
  return { type: 'problem', what, error: new Error(message) }
}

/** Serves metrics and health, where a port is named for them. */
async function servePages(
  { metrics: port, metricsHost, stall }: Settings,
  health: Health,
  metrics: Metrics,
): Promise<Listening | undefined> {
  if (port === undefined) return undefined
  return listen(healthPages(stall, health, metrics), port, metricsHost)
}

function sayStarted({ account, emit }: Setup, url: string | undefined, screen: Output): void {
  const { hotkey } = account
  const dry = emit ? '' : ', a dry run: nothing is sent to the chain without --emit'
  const at = url === undefined ? '' : `; /metrics and /healthz are at ${url}`
  screen.line(`validating as ${hotkey}${dry}${at}`, { type: 'started', hotkey, emit, url })
}
