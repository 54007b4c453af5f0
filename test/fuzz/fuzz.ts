import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { digest, pcg64 } from '../../packages/prng/src/index.ts'
import { mutate, type Specimen, specimenOf } from './mutate.ts'

/** A reader of untrusted bytes. */
export interface Reader {
  readonly name: string
  /** Its share of all inputs, relative to the sum of all shares. */
  readonly share: number
  /** Bytes that it accepts, or refuses with a known fault. */
  readonly samples: readonly Uint8Array[]
  /** Maximum size of an input in bytes. Default: 128 KiB. */
  readonly longest?: number
  /** Maximum time of one input in milliseconds. Default: 50. */
  readonly mostMs?: number
  /** Returns, or resolves with, the result or the refusal. */
  readonly read: (bytes: Uint8Array) => unknown
  /** Reports whether an error is documented. Default: none is. */
  readonly refuses?: (error: unknown) => boolean
}

/** The behaviour of a reader on one input. */
interface Observation {
  /** The result, without parts that differ from input to input. */
  readonly outcome: string
  readonly ms: number
  readonly bytes: number
  /** Description of behaviour that is not documented. Undefined if all is documented. */
  readonly fault?: string
}

/** Maximum time of one input in milliseconds. */
const MOST_MS = 50
/** Maximum growth in bytes of the heap and of buffers outside it. */
const MOST_BYTES = 64 * 2 ** 20
/** Maximum size of an input in bytes. Longer inputs are cut, since time grows with size. */
const LONGEST = 131_072
/** Maximum number of inputs to mutate: the samples, and inputs with a new outcome. */
const MAX_POOL = 500

const ACCEPTED = 'read'

/**
 * Gives a reader `inputs` inputs, determined by `seed`, up to its first failure. Resolves with the
 * numbers of inputs, accepted inputs and outcomes, with the most time and memory of an input (of
 * each input the least of four readings counts), and with the fault and its input, if any.
 */
export async function fuzz(reader: Reader, inputs: number, seed: number) {
  const random = pcg64(BigInt(`0x${digest('fuzz', reader.name, seed).slice(0, 32)}`))
  const pool: Specimen[] = reader.samples.map((bytes) => specimenOf(textOf(bytes)))
  const { longest = LONGEST } = reader
  const outcomes = new Set<string>()
  const report = { inputs: 0, accepted: 0, slowestMs: 0, mostBytes: 0 }
  const summary = (failure?: { readonly fault: string; readonly input: Uint8Array }) => {
    return { ...report, outcomes: outcomes.size, failure }
  }
  while (report.inputs < inputs) {
    const sample = pool[report.inputs]?.text
    const isSample = report.inputs < reader.samples.length
    const text = isSample ? (sample ?? '') : mutate(pool, random).slice(0, longest)
    const input = Buffer.from(text, 'latin1')
    const seen = await observe(reader, input)
    report.inputs += 1
    if (seen.outcome === ACCEPTED) report.accepted += 1
    if (!outcomes.has(seen.outcome) && pool.length < MAX_POOL) pool.push(specimenOf(text))
    outcomes.add(seen.outcome)
    if (seen.ms > report.slowestMs || seen.bytes > report.mostBytes) {
      const least = await observeAgain(reader, input, seen)
      report.slowestMs = Math.max(report.slowestMs, least.ms)
      report.mostBytes = Math.max(report.mostBytes, least.bytes)
      if (least.fault) return summary({ fault: least.fault, input })
    }
    if (seen.fault) return summary({ fault: seen.fault, input })
  }
  return summary()
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

async function observe(reader: Reader, input: Uint8Array): Promise<Observation> {
  const before = heapBytes()
  const started = performance.now()
  let got: unknown
  let thrown = false
  try {
    got = reader.read(input)
    if (got instanceof Promise) got = await got
  } catch (error) {
    got = error
    thrown = true
  }
  const cost = { ms: performance.now() - started, bytes: heapBytes() - before }
  if (!thrown) return { ...cost, ...judge(got) }
  const text = got instanceof Error ? `${got.name}: ${got.message}` : `no Error: ${String(got)}`
  // The message of a SyntaxError quotes the input, so each message would be a new outcome.
  const outcome = got instanceof SyntaxError ? got.name : kindOf(text)
  if (reader.refuses?.(got)) return { ...cost, outcome }
  const at = got instanceof Error ? got.stack : ''
  return { ...cost, outcome, fault: `threw ${text}\n${at}` }
}

/** Returns the outcome of a value: a result, or a refusal, whose detail must be printable. */
function judge(got: unknown): Pick<Observation, 'outcome' | 'fault'> {
  if (got === null) return { outcome: 'null' }
  const refusal = Object(got) as { ok?: unknown; code?: unknown; detail?: unknown }
  if (refusal.ok !== false) return { outcome: ACCEPTED }
  const { code, detail } = refusal
  const outcome = kindOf(`${code}: ${detail}`)
  const isPlain = typeof detail === 'string' && /^[ -~±’…]{0,1000}$/.test(detail)
  if (isPlain && /^[A-Z_]+$/.test(String(code))) return { outcome }
  return { outcome, fault: `refused with ${JSON.stringify(got).slice(0, 1000)}` }
}

const kindOf = (text: string): string =>
  text.slice(0, 300).replace(/[0-9a-f]{8,}|\d+|"[^"]*"|\b5[A-Za-z0-9]{47}\b/g, '#')

function heapBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics()
  return used_heap_size + external_memory
}

setFlagsFromString('--expose-gc')
const gc: () => void = runInNewContext('gc')
/** Collects garbage twice, since memory of buffers is released only at the second collection. */
const collect = (): void => {
  gc()
  gc()
}

/**
 * Reads an input three more times. Resolves with the least processor time, without the machine's
 * other work, and, if the first reading took much memory, with the least memory after a collection.
 */
async function observeAgain(
  reader: Reader,
  input: Uint8Array,
  first: Observation,
): Promise<Observation> {
  const isMuch = first.bytes > MOST_BYTES
  let { ms, bytes } = first
  for (let again = 0; again < 3; again++) {
    if (isMuch) collect()
    const before = process.cpuUsage()
    const seen = await observe(reader, input)
    const { user, system } = process.cpuUsage(before)
    ms = Math.min(ms, seen.ms, (user + system) / 1000)
    bytes = isMuch ? Math.min(bytes, seen.bytes) : bytes
  }
  const { outcome } = first
  const { mostMs = MOST_MS } = reader
  if (ms > mostMs) return { outcome, ms, bytes, fault: `took ${ms.toFixed(1)} ms` }
  if (bytes > MOST_BYTES) return { outcome, ms, bytes, fault: `took ${bytes} bytes` }
  return { outcome, ms, bytes }
}
