import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stateRoot } from '@affine/duel'
import { makeFolder } from '@affine/node/disk'
import { listenWith } from '@affine/node/listen'
import { describeEpoch, exportEpoch, nameHotkeysBy, summariseEpoch } from '@affine/report'
import type { EpochResult } from '@affine/settlement'
import {
  createCommand,
  ENV_MODULES,
  FAILED,
  interrupted,
  type Output,
  output,
  raceAbort,
  readNames,
  waitForAbort,
} from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { narrate } from '../service/narrate.ts'
import { servePageAndBuckets } from '../service/served-files.ts'
import { formatFilesHint, formatIntro, formatOutcome, formatRerunHint } from './demo/story.ts'
import { createParticipants, mapNames, type OnMemberEvent, runSubnet } from './demo/subnet.ts'

const EXAMPLES = `  $ af demo
  $ af demo --seed 7 --out ./seven
  $ af demo --open`

export const demo: CommandUnknownOpts = createCommand('demo', EXAMPLES)
  .option(
    '--seed <text>',
    'repeat the run of this seed: the same keys, challenges, replies and verdicts',
  )
  .option(
    '--out <folder>',
    'store buckets and chain in this empty or new folder (default: store nothing)',
  )
  .addOption(ENV_MODULES)
  .option('--open', 'serve the page of the run afterwards, until Ctrl-C')
  .option('--verbose', 'print the numbers of each verdict, and all output of af-verify')
  .action(async (options) => {
    const screen = output(options.json)
    const signal = interrupted()
    const { seed = String(randomInt(2 ** 32)), open } = options
    const out = options.out === undefined ? await temporaryFolder() : await emptyFolder(options.out)
    const participants = createParticipants(seed)
    const names = mapNames(participants)
    const nameOf = nameHotkeysBy(names)
    screen.line(formatIntro(participants), { type: 'start', seed, names })

    // All validators decide the same, so other validators than the first print only problems.
    const epochs: EpochResult[] = []
    const onEvent: OnMemberEvent = (member, event) => {
      const isFirst = member === participants.validators[0]
      const isPrinted = isFirst && !['sent', 'state'].includes(event.type)
      if (!isPrinted && event.type !== 'problem') return
      if (event.type === 'epoch') epochs.push(event.settled)
      if (event.type !== 'epoch' || options.verbose) return narrate(event, screen, nameOf)
      screen.line(summariseEpoch(describeEpoch(event.settled), nameOf), exportEpoch(event.settled))
    }
    const { chain, state } = await raceAbort(runSubnet(participants, out, onEvent), signal)
    const weights = await chain.weights(chain.height)
    const { ratio, champion: { hotkey: champion } = {} } = state
    const record = { type: 'end', champion, ratio, root: stateRoot(state), weights }
    screen.line(formatOutcome(epochs, nameOf), record)

    await verifyApart(out, { ...options, epochs: state.epoch }, screen, signal)
    if (options.out !== undefined)
      screen.line(formatFilesHint(out, options.envModule), { type: 'files', out })
    else if (!open) screen.line(formatRerunHint(seed), { type: 'again', seed })
    if (open) await showPage(out, screen, signal)
  })

/** Creates a folder that is removed when this process ends, also at Ctrl-C. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'affine-demo-'))
  // The removal is retried, because pending writes may still create files in the folder.
  const removing = { recursive: true, force: true, maxRetries: 9, retryDelay: 10 }
  process.once('exit', () => rmSync(folder, removing))
  return folder
}

/** Serves the explorer until the signal aborts, for the demo whose files are in `out`. */
async function showPage(out: string, screen: Output, signal: AbortSignal) {
  const file = join(out, 'chain.json')
  const network = { chain: { file }, names: await readNames(file) }
  using server = await listenWith(await servePageAndBuckets(join(out, 'buckets'), network), 0)
  const { url } = server
  screen.line(`\nOpen ${url}/ in a browser (Ctrl-C stops it)`, { type: 'serving', url })
  await waitForAbort(signal)
}

const NO_VERIFIER =
  'Not verified: `af-verify` is missing. Install it with `npm install -g @affine/verifier`.'

type DemoVerification = { json?: true; verbose?: true; envModule?: string; epochs: number }

/**
 * Runs `af-verify`, if installed, in another process. Prints its result, and ends with its exit
 * code.
 */
async function verifyApart(
  out: string,
  { json, verbose, envModule, epochs }: DemoVerification,
  screen: Output,
  signal: AbortSignal,
): Promise<void> {
  const file = findVerifier()
  if (file === undefined) return screen.line(NO_VERIFIER, { type: 'unverified' })
  const files = [join(out, 'buckets'), '--network', join(out, 'chain.json')]
  const modules = envModule ? ['--env-module', envModule] : []
  const words = [...process.execArgv, file, ...files, ...modules, ...(json ? ['--json'] : [])]
  const shown = verbose || json ? 'inherit' : 'pipe'
  const child = spawn(process.execPath, words, { stdio: ['ignore', shown, shown], signal })
  const outputs = [child.stdout, child.stderr].map((each) => each && text(each))
  const [code] = await raceAbort(once(child, 'close'), signal)
  process.exitCode = code ?? FAILED
  const [report, faults] = await Promise.all(outputs)
  if (report === null) return
  const what = `a second process recomputed ${epochs} epochs from buckets and chain`
  if (code === 0) screen.line([{ text: `Verified: ${what}: all holds`, tone: 'good' }], {})
  else screen.line([{ text: `NOT verified:\n${report}${faults}`, tone: 'bad' }], {})
}

/** Returns the file of `af-verify`, or undefined if it is not installed next to this package. */
function findVerifier(): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve('@affine/verifier/cli'))
  } catch {
    return undefined
  }
}

/** @throws RangeError if the folder exists and is not empty. */
async function emptyFolder(path: string): Promise<string> {
  const folder = resolve(path)
  await makeFolder(folder)
  if ((await readdir(folder)).length > 0)
    throw new RangeError(`"--out" expected an empty folder, got ${folder}`)
  return folder
}
