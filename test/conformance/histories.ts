import { stateRoot } from '../../packages/duel/src/index.ts'
import { LOCAL_NETWORK, recompute, UnavailableError } from '../../packages/settlement/src/index.ts'
import { replaceText, SERVED, UNDECIDED, VALID, VOID } from '../attacks/lies.ts'
import { type Lie, OneLiar } from '../attacks/one-liar.ts'

/** Changes that a reader of a chain's export refuses. No one seals or attests in that export. */
const REFUSED: Readonly<Record<string, readonly [part: string | RegExp, by: string]>> = {
  'a block has another hash': [/(?<="hash":")../, 'ff'],
  'a block has another time': ['"time":0', '"time":1'],
  'a call has another signature': [/(?<="signature":")../, 'ff'],
  'the last line has no line feed': [/\n$/, ''],
}

/** Codes that another reader may find first, as the codes have no order. Protocol §6.5. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'a sample left out': ['WRONG_CHALLENGE'],
  'another secret is revealed': ['WRONG_CHALLENGE'],
  'a gap in the heights': ['SHORT_BLOCK'],
  'a lane of another validator': ['WRONG_SIGNATURE'],
  'an attested block has another header': ['WRONG_SIGNATURE'],
}

/** An exported history: texts with the paths of their files, and what a verifier finds. */
export interface Exported {
  readonly what: string
  readonly files: readonly (readonly [text: string, ...paths: readonly string[]])[]
  readonly want: {
    readonly exit: number
    /** The root of the state after each epoch. */
    readonly roots: readonly string[]
    /** The flaws, each of which may have any one of its codes. */
    readonly flaws: readonly (readonly [validator: string, epoch: number, ...codes: string[]])[]
  }
}

/** Returns the expected results of af-verify, by recomputing a history as far as possible. */
async function findingsOf({ buckets, chain }: OneLiar): Promise<Exported['want']> {
  const roots: string[] = []
  const flaws = new Map<string, readonly [validator: string, epoch: number, code: string]>()
  const { open: openBucket, clock } = buckets
  let isDecided = false
  try {
    for await (const result of recompute({ chain, network: LOCAL_NETWORK, openBucket, clock })) {
      roots.push(stateRoot(result.state))
      for (const { validator, epoch, code } of result.flaws)
        flaws.set(`${code} ${validator}`, [validator, epoch, code])
    }
    isDecided = true
  } catch (error) {
    // The epoch cannot be decided, since a block is unavailable.
    if (!(error instanceof UnavailableError)) throw error
  }
  const exit = isDecided ? 0 : 4
  return { exit: flaws.size > 0 ? 1 : exit, roots, flaws: [...flaws.values()] }
}

/** Returns each text of a history once, with the paths of its files. */
function filesOf({ buckets, chain }: OneLiar): Exported['files'] {
  const paths = new Map([[chain.export(), ['chain.jsonl']]])
  for (const [path, bytes] of buckets.files()) {
    const text = new TextDecoder().decode(bytes)
    paths.set(text, [...(paths.get(text) ?? []), `buckets/${path}`])
  }
  return [...paths].map(([text, each]) => [text, ...each] as const)
}

/** Returns the subnet after an epoch with this lie. */
async function playLie(lie: Lie): Promise<OneLiar> {
  const subnet = new OneLiar(LOCAL_NETWORK)
  const state = await subnet.state
  await lie(subnet)
  await subnet.end(state)
  return subnet
}

/**
 * Yields all histories.
 * @throws Error if the flaws of a history are not those of its row.
 */
export async function* exportHistories(): AsyncGenerator<Exported, void> {
  for (const [what, [named, lie]] of Object.entries({
    ...VALID,
    ...SERVED,
    ...VOID,
    ...UNDECIDED,
  })) {
    const subnet = await playLie(lie)
    const want = await findingsOf(subnet)
    const found = want.flaws.map(([validator, , code]) => `${code} ${validator}`)
    const expected = [...new Set(named(subnet))]
    if (found.sort().join() !== expected.sort().join())
      throw new Error(`${what}: expected ${expected}, got ${found}`)
    const also = ALSO[what] ?? []
    const flaws = want.flaws.map((flaw) => [...flaw, ...also] as const)
    yield { what, files: filesOf(subnet), want: { ...want, flaws } }
  }
  for (const [what, [part, by]] of Object.entries(REFUSED)) {
    const { chain } = await playLie(async () => {})
    const text = replaceText(chain.export(), part, by)
    yield { what, files: [[text, 'chain.jsonl']], want: { exit: 4, roots: [], flaws: [] } }
  }
}

/** The `source` of histories.json. */
const SOURCE = 'test/conformance/histories.ts, from a subnet of four validators and two miners'

/** Returns the text of histories.json. */
export function indexOf(histories: readonly Exported[]): string {
  const vectors = histories.map(({ what, want }) =>
    JSON.stringify({ what, input: nameOf(what), want }),
  )
  return `{\n"source": ${JSON.stringify(SOURCE)},\n"vectors": [\n${vectors.join(',\n')}\n]\n}\n`
}

/** Returns the name of a history's file. */
export const nameOf = (what: string): string =>
  `${what.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json.gz`
