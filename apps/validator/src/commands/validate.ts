import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '@affine/chain'
import { claimFolder, type Setup, Validator } from '@affine/engine'
import { healthPages, trackHealth, watchHealth } from '@affine/engine/health'
import { createMetrics } from '@affine/engine/metrics'
import { lockFolder } from '@affine/node/disk'
import { listen } from '@affine/node/listen'
import { shortenHotkey } from '@affine/report'
import { type OpenBucket, openLive, type Subnet } from '@affine/settlement'
import { openThreads } from '@affine/settlement/node'
import {
  createCommand,
  interrupted,
  leave,
  type Output,
  openWithNotice,
  raceAbort,
} from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { expectNoSlotOf, readOwnSeat } from '../examination/seat.ts'
import { connectMiners } from '../service/agents.ts'
import { createProblemFilter, narrate, printStall, warn } from '../service/narrate.ts'
import { createServiceOutput } from '../service/service-output.ts'
import { addSettingOptions } from '../settings/entries.ts'
import {
  formatProblems,
  isSending,
  openPlaces,
  readService,
  type Settings,
} from '../settings/settings.ts'

const EXAMPLES = `  $ af validate --network http://127.0.0.1:9944 \\
      --key localnet/keys/validator-1 --folder validator-1 --buckets buckets
  $ af validate --network finney --wallet validator --hotkey default \\
      --folder validator --buckets buckets --bucket-url https://my.host/b`
const VARIABLES = `
Settings can also be in the environment or in a file .env. \`af doctor\` lists
their sources.`

const HOW = '`af setup` asks for all settings, tests them and writes .env.'

export const validate: CommandUnknownOpts = addSettingOptions(createCommand('validate', EXAMPLES))
  .addHelpText('after', VARIABLES)
  .action(async ({ json, ...flags }, command) => {
    const read = await readService(flags)
    const { settings, account, warnings, mask } = read
    if (!settings || !account) return command.error(`${formatProblems(read)}\n${HOW}`)
    const screen = createServiceOutput(json === true, mask)
    for (const text of warnings) warn(screen, text)
    await runValidator(settings, account, screen).catch((error: Error) => {
      throw Object.assign(error, { message: mask(error.message) })
    })
  })

/** Returns milliseconds, independent of the machine's clock. */
const clock = (): number => performance.now()

/** Validates until a signal or a stall, or until the node turns out to serve another chain. */
async function runValidator(settings: Settings, account: Account, screen: Output): Promise<void> {
  const { hotkey } = account
  await using _folder = await lockFolder(settings.folder)
  const health = trackHealth(clock)
  const seconds = 2 * settings.stall
  // The supervisor restarts a process that ends.
  using _guard = watchHealth(seconds, health, (late) => {
    printStall(late, seconds, screen)
    void leave()
  })
  const listeners: Setup['on'][] = [health.on, createNarrator(screen)]
  const on: Setup['on'] = (event) => {
    for (const listener of listeners) listener(event)
  }
  const signal = interrupted()
  // Until its neuron is read, the last failed retry ends the process; later, retries are endless.
  const onRetry = (error: Error): void => on({ type: 'problem', task: { kind: 'node' }, error })
  const opening = openWithNotice(openLive, settings.network, { ...settings, onRetry })
  await using subnet = await raceAbort(opening, signal)
  await claimFolder(settings.folder, subnet.chain, hotkey)
  // The folder may have been created or copied with wider permissions.
  await chmod(settings.folder, 0o700).catch(({ message }: Error) =>
    warn(screen, `other users of this machine may be able to read its secrets: ${message}`),
  )
  const own = await raceAbort(readOwnSeat(subnet.chain, hotkey), signal)
  if (!settings.overwrite) expectNoSlotOf('miner', own.seat)
  const emit = isSending(subnet.network, settings)
  const metrics = createMetrics({ ...own.seat.neuron, emit }, subnet.chain, Date.now)
  listeners.push(metrics.on)
  const { metrics: port, metricsHost, stall, grace } = settings
  const pages = healthPages(stall, health, metrics)
  using served = port === undefined ? undefined : await listen(pages, port, metricsHost)

  // One core remains for following the chain and asking the miners.
  await using threads = openThreads(Math.max(1, availableParallelism() - 1))
  const setup = createSetup(settings, account, subnet, { check: threads.check, on })
  const validator = new Validator(setup)
  printStart(setup, served?.url, screen)
  warnOfDelays(own, subnet.network, screen)
  for await (const next of subnet.chain.heads(signal)) validator.onHead(next)
  const text = `stopping within ${grace} s; repeat the signal to stop at once`
  screen.line(text, { type: 'stopping' })
  await Promise.race([validator.stop(), sleep(grace * 1000)])
  signal.throwIfAborted()
}

/** Returns a listener that prints events, but each kind of problem at most every ten minutes. */
function createNarrator(screen: Output): Setup['on'] {
  const isDue = createProblemFilter(clock)
  return (event) => {
    if (event.type !== 'problem' || isDue(event)) narrate(event, screen, shortenHotkey)
  }
}

type OwnSeat = Awaited<ReturnType<typeof readOwnSeat>>

/** Warns of a missing permit, and of a first epoch that begins later. */
function warnOfDelays({ seat, snapshot }: OwnSeat, network: Subnet['network'], screen: Output) {
  if (!seat.neuron.permit) {
    const advice = 'every tempo, the validators with the highest stakes get one'
    warn(screen, `no validator permit yet: ${advice}`)
  }
  const { firstEpoch, protocol } = network
  const left = firstEpoch * protocol.epochBlocks - snapshot.head.number
  if (left > 0) warn(screen, `waiting ${left} blocks until epoch ${firstEpoch} begins`)
}

function printStart({ account, emit }: Setup, url: string | undefined, screen: Output): void {
  const { hotkey } = account
  const dry = emit ? '' : ', a dry run that sends nothing to the chain (see --emit)'
  const at = url === undefined ? '' : `; /metrics and /healthz are at ${url}`
  screen.line(`validating as ${hotkey}${dry}${at}`, { type: 'started', hotkey, emit, url })
}

/** @throws RangeError if the key for Chutes is missing on a network whose miners are on Chutes. */
function createSetup(
  settings: Settings,
  account: Account,
  { chain, network }: Subnet,
  { check, on }: Required<Pick<Setup, 'check' | 'on'>>,
): Setup {
  const { openBucket, ...places } = openPlaces(settings, account.hotkey, network)
  return {
    ...places,
    ...connectMiners(network, { ...settings, netuid: chain.netuid }, on),
    chain,
    account,
    network,
    emit: isSending(network, settings),
    replay: settings.replay ?? false,
    openBucket: reportReads(openBucket, on),
    check,
    now: Date.now,
    random: randomBytes,
    on,
  }
}

/** Opens buckets as `open` does, and emits an event after every read, failed or not. */
function reportReads(open: OpenBucket, on: Setup['on']): OpenBucket {
  return (hotkey, url) => {
    const source = open(hotkey, url)
    const report = (): void => on({ type: 'read' })
    return source && { ...source, read: (...file) => source.read(...file).finally(report) }
  }
}
