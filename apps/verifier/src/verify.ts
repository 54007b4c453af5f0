import { randomInt } from 'node:crypto'
import { createReadStream, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Sample } from '@affine/blocks'
import { type State, stateRoot } from '@affine/duel'
import {
  addToVerification,
  describeEpoch,
  explainUncounted,
  exportEpoch,
  formatEpoch,
  formatFinding,
  formatSample,
  formatUncounted,
  formatVerification,
  formatWaits,
  type HotkeyFormatter,
  type Line,
  nameHotkeysBy,
  toJson,
  type Verification,
} from '@affine/report'
import {
  type Choose,
  findStart,
  type RecomputedEpoch,
  type RecomputeOptions,
  recompute,
  type SamplePlace,
  type Subnet,
  type Waits,
} from '@affine/settlement'
import { createBucketOpener, expectBuckets, openThreads } from '@affine/settlement/node'
import { type Output, printable } from '@affine/terminal'

/** The epochs to verify, and the part of the result to show. */
export interface VerifyOptions {
  /** The folder or URL of the buckets that were announced by name. */
  readonly base?: string | undefined
  /** The first epoch to recompute. Default: the network's first. */
  readonly fromEpoch?: number
  /** The last epoch to recompute. Default: the last that has ended. */
  readonly toEpoch?: number
  /** The only epoch to show. */
  readonly epoch?: number
  /** Blocks that are checked concurrently. Default: the number of processors. */
  readonly jobs?: number
  /** Maximum copies of each block to compare. Default: all. */
  readonly copies?: number
  /** Set to show every sample. */
  readonly samples?: true
  /** Names of hotkeys, for display. */
  readonly names?: Readonly<Record<string, string>>
  /** The only sample to show, as `env#index`, with or without the environment's version. */
  readonly sample?: string
}

/** The bytes that one thread checks while others would still be starting. */
const SHORT_BYTES = 2 ** 24

/**
 * Recomputes a subnet, prints the result and the flaws of each epoch, and sets the exit code.
 * @throws RangeError, as a rejection, if there is no epoch to show, or no sample matches.
 */
export async function verify(
  subnet: Subnet,
  options: VerifyOptions,
  screen: Output,
): Promise<void> {
  const { base } = options
  // The waiting times are not part of the result, so they go to standard error.
  const onWaits = (waits: Waits): void => {
    const text = formatWaits(waits)
    if (text !== undefined) process.stderr.write(`${text}\n`)
  }
  const data = { ...subnet, openBucket: createBucketOpener(base), onWaits }
  await expectBuckets(data, base)
  const beginning = await findStart(data, options.fromEpoch ?? data.network.firstEpoch)
  screen.line(...beginLine(data, beginning.from, options))
  const { end, shown } = await printEpochs({ ...data, ...beginning }, options, screen)
  if (end === undefined || shown === 0) throw createNoMatchError(options)
  screen.line(formatVerification(end, createNaming(options)), { type: 'end', ...end })
  if (end.conclusion === 'COMPARED_HOLDS') process.exitCode = 3
}

/** Returns a naming that prints hotkeys in full, so that readers can search for them. */
const createNaming = ({ names = {} }: VerifyOptions): HotkeyFormatter =>
  nameHotkeysBy(names, (key) => printable(key))

/**
 * Recomputes the epochs and prints the requested epochs or samples. Resolves with the number of
 * these that were `formatValue`, and with the end, if there was an epoch.
 */
async function printEpochs(
  data: RecomputeOptions & { readonly from: State },
  options: VerifyOptions,
  screen: Output,
) {
  let { epoch } = data.from
  let shown = 0
  let end: Verification | undefined
  const uncompared = options.copies === undefined ? 'NONE' : 'SOME'
  const isShown = (): boolean => (options.epoch ?? epoch) === epoch
  const samples = new SpilledSamples()
  const addSample = (sample: Sample, place: SamplePlace): void => {
    if (isShown() && isRequested(options, sample)) samples.add(sample, place)
  }
  const onSample = options.samples || options.sample ? addSample : undefined
  for await (const result of recomputeEpochs({ ...data, onSample }, options)) {
    end = addToVerification(end, result, uncompared)
    // A later error does not change the exit code.
    if (end.conclusion === 'FLAWED') process.exitCode = 1
    if (isShown()) shown += await printEpoch(result, options, { samples, screen })
    epoch = result.state.epoch
  }
  return { end, shown }
}

/** Prints the samples of an epoch, then the epoch. Resolves with the number of requested items. */
async function printEpoch(
  result: RecomputedEpoch,
  options: VerifyOptions,
  { samples, screen }: { readonly samples: SpilledSamples; readonly screen: Output },
): Promise<number> {
  const shown = await printSamples(samples, result, screen)
  const lines = epochLines(result, options)
  for (const line of [...lines, ...findingLines(result, createNaming(options))])
    screen.line(...line)
  return shown + lines.length
}

/** Prints the samples of an epoch. Resolves with their count. */
async function printSamples(
  samples: SpilledSamples,
  result: RecomputedEpoch,
  screen: Output,
): Promise<number> {
  const { epoch } = result
  let count = 0
  for await (const [sample, place] of samples.take()) {
    const why = explainUncounted(result, sample, place)
    const text = formatSample(sample, place) + formatUncounted(why)
    const use = { counts: why === undefined, why }
    screen.line(text, { type: 'sample', epoch, ...place, ...use, sample })
    count += 1
  }
  return count
}

function epochLines(
  result: RecomputedEpoch,
  { sample, names = {} }: VerifyOptions,
): readonly OutputLine[] {
  if (sample !== undefined) return []
  return [[formatEpoch(describeEpoch(result), nameHotkeysBy(names)), exportEpoch(result)]]
}

function createNoMatchError({ epoch, sample }: VerifyOptions): RangeError {
  if (sample === undefined) return new RangeError(`no epoch matches: ${epoch} was not recomputed`)
  return new RangeError(`no sample in a valid lane matches ${sample}`)
}

/** Yields the recomputed epochs, with one thread per job, or with one job without threads. */
async function* recomputeEpochs(
  data: RecomputeOptions,
  { jobs = availableParallelism(), toEpoch: to, copies }: VerifyOptions,
): AsyncGenerator<RecomputedEpoch, void> {
  const choose = copies === undefined ? undefined : createDraw(copies)
  if (jobs === 1) return yield* recompute({ ...data, to, choose })
  await using threads = openThreads(jobs, SHORT_BYTES)
  yield* recompute({ ...data, to, choose, ...threads })
}

/** Reports whether the sample is requested. Without `--sample`, every sample is. */
function isRequested({ sample: name }: VerifyOptions, { env, index }: Sample): boolean {
  const names = [`${env}#${index}`, `${env.split('@')[0]}#${index}`]
  return name === undefined || names.includes(name)
}

/**
 * Returns a function that draws at most `max` holders at random, so that no one can predict them.
 */
function createDraw(max: number): Choose {
  return (holders) => {
    const left = [...holders]
    const draw = () => left.splice(randomInt(left.length), 1)
    return Array.from({ length: Math.min(max, left.length) }, draw).flat()
  }
}

/** Lines of the output for people, and the record that `--json` prints instead. */
type OutputLine = readonly [lines: string | readonly Line[], record: object]

/** Returns the first line: the initial state, and the number of copies to compare of each block. */
function beginLine(
  { chain, network }: Subnet,
  from: State,
  { copies, names }: { readonly copies?: number; readonly names?: object },
): OutputLine {
  const [epoch, root] = [from.epoch, stateRoot(from)]
  const state = epoch === network.firstEpoch ? "the network's first state" : 'the attested state'
  const compared = copies === undefined ? '' : `, comparing at most ${copies} copies of each block`
  const { genesis, netuid } = chain
  return [
    `begins with epoch ${epoch} and ${state} ${root}${compared}`,
    { type: 'begin', epoch, root, genesis, netuid, copies: copies ?? 'all', names },
  ]
}

/** Returns the flaws of an epoch, then the warnings, in which no data is wrong. */
function findingLines(
  { flaws, warnings }: RecomputedEpoch,
  nameOf: HotkeyFormatter,
): readonly OutputLine[] {
  const all = [
    ...flaws.map((flaw) => ({ type: 'flaw', tone: 'bad', finding: flaw }) as const),
    ...warnings.map((finding) => ({ type: 'warning', tone: 'warning', finding }) as const),
  ]
  return all.map(({ type, tone, finding }) => [
    [formatFinding(finding, tone, nameOf)],
    { type, ...finding },
  ])
}

/**
 * The samples of one epoch, which may not fit into memory, in a temporary file. Only at the end of
 * the epoch is it known which of them count.
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

/** Opens a file without a name, which disappears when the process ends. */
function openTemporary(): number {
  const folder = mkdtempSync(join(tmpdir(), 'af-verify-'))
  const file = openSync(join(folder, 'samples.jsonl'), 'a+')
  rmSync(folder, { recursive: true })
  return file
}
