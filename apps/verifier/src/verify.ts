import { randomInt } from 'node:crypto'
import { createReadStream, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROOF_BYTES, type Sample } from '@affine/blocks'
import { type State, stateRoot } from '@affine/duel'
import { readRegularFile } from '@affine/node/disk'
import {
  addToVerification,
  describeEpoch,
  explainUncounted,
  exportEpoch,
  formatEpoch,
  formatFinding,
  formatProof,
  formatSample,
  formatUncounted,
  formatVerification,
  nameHotkeysBy,
  toJson,
  type Verification,
} from '@affine/report'
import {
  type Choose,
  findStart,
  judgeProofFile,
  type RecomputedEpoch,
  type RecomputeOptions,
  recompute,
  type SamplePlace,
  type Subnet,
} from '@affine/settlement'
import { createBucketOpener, expectBuckets, openThreads } from '@affine/settlement/node'
import { type ChainOptions, type Output, printable, readNamed } from '@affine/terminal'
import type { HistoryOptions } from './history.ts'

type HotkeyNames = Readonly<Record<string, string>>

/** The options of `af-verify`, except those that name the chain. */
type VerifyOptions = Omit<HistoryOptions, keyof ChainOptions> & {
  /** Folder or URL of the buckets that were announced by name. */
  readonly base?: string | undefined
  /** Names of hotkeys, for display. Default: none. */
  readonly names?: HotkeyNames
}

/**
 * Bytes of evidence up to which this thread checks alone, since other threads take long to start.
 */
const SHORT_BYTES = 2 ** 24

/**
 * Recomputes a subnet, prints the result and the flaws of each epoch, and sets the exit code.
 * @throws RangeError, as a rejection, if there is no epoch to show, or no sample matches.
 */
export async function verify(subnet: Subnet, options: VerifyOptions, screen: Output) {
  const { base, names = {} } = options
  const data = { ...subnet, openBucket: createBucketOpener(base) }
  await expectBuckets(data, base)
  const beginning = await findStart(data, options.fromEpoch ?? data.network.firstEpoch)
  printBeginning(data, beginning.from, options, screen)
  const { end, shown } = await printEpochs({ ...data, ...beginning }, options, screen)
  if (end === undefined || shown === 0) throw createNoMatchError(options)
  screen.line(formatVerification(end, nameInFull(names)), { type: 'end', ...end })
  if (end.conclusion === 'COMPARED_HOLDS') process.exitCode = 3
}

/**
 * Returns a formatter that prints hotkeys without a name in full, so that readers can search for
 * them.
 */
const nameInFull = (names: HotkeyNames) => nameHotkeysBy(names, (key) => printable(key))

/**
 * Recomputes the epochs and prints the requested epochs or samples. Resolves with `shown`, the
 * number of printed epochs and samples, and `end`, the result after the last epoch, if any.
 */
async function printEpochs(
  data: RecomputeOptions & { readonly from: State },
  options: VerifyOptions,
  screen: Output,
) {
  let { epoch } = data.from
  let shown = 0
  let end: Verification | undefined
  const flawless = options.copies === undefined ? 'HOLDS' : 'COMPARED_HOLDS'
  const isShown = (): boolean => (options.epoch ?? epoch) === epoch
  const samples = new SpilledSamples()
  const addSample = (sample: Sample, place: SamplePlace): void => {
    if (isShown() && isRequested(options, sample)) samples.add(sample, place)
  }
  const onSample = options.samples || options.sample ? addSample : undefined
  for await (const result of recomputeEpochs({ ...data, onSample }, options)) {
    end = addToVerification(end, result, flawless)
    // An error in a later epoch ends the run, and does not change this exit code.
    if (end.conclusion === 'FLAWED') process.exitCode = 1
    if (isShown()) {
      shown += await printSamples(samples, result, screen)
      shown += printEpoch(result, options, screen)
    }
    epoch = result.state.epoch
  }
  return { end, shown }
}

/** Prints the samples of an epoch. Resolves with their count. */
async function printSamples(samples: SpilledSamples, result: RecomputedEpoch, screen: Output) {
  const { epoch } = result
  const champion = result.before.champion?.hotkey
  let count = 0
  for await (const [sample, place] of samples.take()) {
    const why = explainUncounted(result, sample, place)
    const text = formatSample(sample, place, champion) + formatUncounted(why)
    const use = { counts: why === undefined, why }
    screen.line(text, { type: 'sample', epoch, ...place, ...use, sample })
    count += 1
  }
  return count
}

/**
 * Prints an epoch, its flaws and its warnings; if a sample is requested, only flaws and warnings.
 * Returns the number of printed epochs.
 */
function printEpoch(
  result: RecomputedEpoch,
  { sample, names = {} }: VerifyOptions,
  screen: Output,
): number {
  if (sample === undefined)
    screen.line(formatEpoch(describeEpoch(result), nameHotkeysBy(names)), exportEpoch(result))
  const nameOf = nameInFull(names)
  for (const flaw of result.flaws)
    screen.line([formatFinding(flaw, 'bad', nameOf)], { type: 'flaw', ...flaw })
  for (const warning of result.warnings)
    screen.line([formatFinding(warning, 'warning', nameOf)], { type: 'warning', ...warning })
  return Number(sample === undefined)
}

function createNoMatchError({ epoch, sample }: VerifyOptions): RangeError {
  if (sample === undefined) return new RangeError(`no epoch matches: ${epoch} was not recomputed`)
  return new RangeError(`no sample in a valid lane matches ${sample}`)
}

/** Yields the recomputed epochs. Several jobs use threads after the first `SHORT_BYTES`. */
async function* recomputeEpochs(
  data: RecomputeOptions,
  { jobs = availableParallelism(), toEpoch: to, copies }: VerifyOptions,
): AsyncGenerator<RecomputedEpoch, void> {
  const choose = copies === undefined ? undefined : createDraw(copies)
  await using threads = jobs === 1 ? undefined : openThreads(jobs, SHORT_BYTES)
  yield* recompute({ ...data, to, choose, ...threads })
}

/** Reports whether a sample is requested. Without `--sample`, every sample is. */
function isRequested({ sample: name }: VerifyOptions, { env, index }: Sample): boolean {
  const names = [`${env}#${index}`, `${env.split('@')[0]}#${index}`]
  return name === undefined || names.includes(name)
}

/** Returns a function that draws up to `max` holders at random, so that no one predicts them. */
function createDraw(max: number): Choose {
  return (holders) => {
    const left = [...holders]
    const draw = () => left.splice(randomInt(left.length), 1)
    return Array.from({ length: Math.min(max, left.length) }, draw).flat()
  }
}

/** Prints the initial state, and the number of copies to compare of each block. */
function printBeginning(
  { chain, network }: Subnet,
  from: State,
  { copies, names }: VerifyOptions,
  screen: Output,
): void {
  const [epoch, root] = [from.epoch, stateRoot(from)]
  const state = epoch === network.firstEpoch ? "the network's first state" : 'the attested state'
  const compared = copies === undefined ? '' : `, comparing at most ${copies} copies of each block`
  const { genesis, netuid } = chain
  const record = { type: 'begin', epoch, root, genesis, netuid, copies: copies ?? 'all', names }
  screen.line(`begins with epoch ${epoch} and ${state} ${root}${compared}`, record)
}

/**
 * The samples of one epoch in a temporary file: they may not fit into memory, and whether they
 * count is known only at the end of the epoch.
 */
class SpilledSamples {
  #file: number | undefined

  add(sample: Sample, place: SamplePlace): void {
    this.#file ??= openTemporary()
    writeSync(this.#file, `${toJson([sample, place])}\n`)
  }

  /** Yields the samples in the order of `add`, and removes them. */
  async *take(): AsyncGenerator<readonly [sample: Sample, place: SamplePlace], void> {
    if (this.#file === undefined) return
    const input = createReadStream('', { fd: this.#file, start: 0, autoClose: false })
    for await (const line of createInterface({ input })) yield JSON.parse(line)
    ftruncateSync(this.#file)
  }
}

/** Opens a file without a name, which disappears with the process. */
function openTemporary(): number {
  const folder = mkdtempSync(join(tmpdir(), 'af-verify-'))
  const file = openSync(join(folder, 'samples.jsonl'), 'a+')
  rmSync(folder, { recursive: true })
  return file
}

/**
 * Checks the proof in `file`, prints the verdict, and sets the exit code.
 * @throws RangeError, as a rejection, if the file does not exist, is not regular, or is too large.
 */
export async function verifyProof(
  subnet: Subnet,
  { file, names }: { readonly file: string; readonly names: HotkeyNames },
  screen: Output,
): Promise<void> {
  const { bytes } = await readNamed(readRegularFile(file, PROOF_BYTES))
  const verdict = await judgeProofFile(bytes, subnet)
  const { result, read } = verdict
  if (!result.ok) process.exitCode = 1
  const record = { type: 'proof', ...read?.header, ...result }
  screen.line([formatProof(verdict, nameInFull(names))], record)
}
