import { hex, int, list, map, record, type Shape, text, uint, where } from '@affine/prng/shape'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { CommitmentSlot, Head, Neuron, Snapshot, UidWeights } from '../chain.ts'
import { MAX_FIELD_BYTES, MAX_FIELDS } from '../commitment.ts'
import { parseJson } from '../json.ts'
import type { BlockView } from './local-subnet.ts'
import { type Extrinsic, extrinsicShape, hotkeyShape, raoShape, weightsShape } from './log.ts'

/** The content type of what a local chain's server and its clients send to each other. */
export const JSON_TYPE = 'application/json'

/** What a client asks the server of a local chain: one of these. */
export interface ChainQuestion {
  /** The heads from this block on; the newest alone if it is -1. */
  readonly heads?: number
  readonly block?: number
  readonly snapshot?: number
  readonly weights?: number
  /** What this hotkey signs its next call for. */
  readonly basis?: string
  readonly submit?: Extrinsic
}

const anyQuestion = record<ChainQuestion>(
  {
    heads: int(-1, Number.MAX_SAFE_INTEGER),
    block: uint(),
    snapshot: uint(),
    weights: uint(),
    basis: hotkeyShape,
    submit: extrinsicShape,
  },
  ['heads', 'block', 'snapshot', 'weights', 'basis', 'submit'],
)

export const questionShape: Shape<ChainQuestion> = (value) => {
  const wrong = anyQuestion(value)
  if (wrong !== undefined) return wrong
  return Object.keys(Object(value)).length === 1 ? undefined : ': expected one question'
}

/** An answer, and which chain gives it. */
export interface ChainAnswer<T> {
  readonly genesis: string
  readonly netuid: number
  readonly value: T
}

const anyAnswer = record<ChainAnswer<unknown>>({
  genesis: hex(32),
  netuid: uint(65_535),
  value: where('a value', () => true),
})

export const answerShape =
  <T>(shape: Shape<T>): Shape<ChainAnswer<T>> =>
  (answer) =>
    anyAnswer(answer) ?? shape((answer as ChainAnswer<unknown>).value)

const headShape: Shape<Head> = record({ number: uint(), hash: hex(32) })
export const headsShape: Shape<readonly Head[]> = list(headShape)
export const blockViewShape: Shape<BlockView> = record({
  head: headShape,
  time: uint(),
  calls: list(hex(64)),
})
export const weightsOfAllShape: Shape<Readonly<Record<string, UidWeights>>> = map(weightsShape)
export const basisShape: Shape<{ readonly height: number; readonly nonce: number }> = record({
  height: uint(),
  nonce: uint(),
})

/** A snapshot as JSON can hold it: stakes as decimal texts, fields in hex. */
interface SnapshotText extends Omit<Snapshot, 'neurons' | 'commitments'> {
  readonly neurons: readonly (Omit<Neuron, 'stake'> & { readonly stake: string })[]
  readonly commitments: readonly SlotText[]
}
type SlotText = Omit<CommitmentSlot, 'fields'> & { readonly fields: readonly string[] }

export function textOfSnapshot({ neurons, commitments, ...rest }: Snapshot): SnapshotText {
  return {
    ...rest,
    neurons: neurons.map((neuron) => ({ ...neuron, stake: `${neuron.stake}` })),
    commitments: commitments.map(({ fields, ...slot }) => ({
      ...slot,
      fields: fields.map((field) => bytesToHex(field)),
    })),
  }
}

const isFlag = where<boolean>('true or false', (value) => typeof value === 'boolean')
const field = text('a field in hex', new RegExp(`^([0-9a-f]{2}){0,${MAX_FIELD_BYTES}}$`))

export const snapshotShape: Shape<SnapshotText> = record<SnapshotText>({
  head: headShape,
  tempo: int(1, Number.MAX_SAFE_INTEGER),
  revealPeriod: uint(),
  neurons: list(
    record({
      uid: uint(65_535),
      hotkey: hotkeyShape,
      stake: raoShape,
      permit: isFlag,
      registered: uint(),
      lastUpdate: uint(),
    }),
  ),
  commitments: list(
    record({ hotkey: hotkeyShape, block: uint(), fields: list(field, MAX_FIELDS) }),
  ),
})

export function snapshotOfText({ neurons, commitments, ...rest }: SnapshotText): Snapshot {
  return {
    ...rest,
    neurons: neurons.map((neuron) => ({ ...neuron, stake: BigInt(neuron.stake) })),
    commitments: commitments.map(({ fields, ...slot }) => ({
      ...slot,
      fields: fields.map(hexToBytes),
    })),
  }
}

/**
 * The text of a body. Rejects if the body is not UTF-8, and as soon as it has more than `limit`
 * characters.
 */
export async function readText(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limit: number,
): Promise<string> {
  if (body === null) return ''
  let text = ''
  for await (const part of body.pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))) {
    text += part
    if (text.length > limit) throw new RangeError(`the body has more than ${limit} characters`)
  }
  return text
}

/** No answer has more: a hundred thousand weights have a fifth of it. */
const MAX_COMMAS = 2 ** 20

/** What a text says; undefined unless it is JSON of a size and a depth that may be parsed. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text, MAX_COMMAS)
  } catch {
    return undefined
  }
}
