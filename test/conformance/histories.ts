import {
  blockPath,
  computeMerkleRoot,
  type Episode,
  hashBlock,
  statePath,
} from '../../packages/blocks/src/index.ts'
import { type Account, ed25519Account, type LocalChain } from '../../packages/chain/src/index.ts'
import { stateRoot } from '../../packages/duel/src/index.ts'
import { bitmapOf } from '../../packages/duel/test/subnet.ts'
import { make } from '../../packages/envs/src/index.ts'
import { canonicalize, type Json } from '../../packages/prng/src/index.ts'
import { LOCAL_NETWORK, recompute, UnavailableError } from '../../packages/settlement/src/index.ts'
import { byContender, cut, forge, GAMES, silent, TRANSCRIPTS } from '../attacks/forgeries.ts'
import { attestedByAll, type Lie, liar, type Named, OneLiar, sealing } from '../attacks/one-liar.ts'
import {
  accountOf,
  FIRST_DUEL,
  hotkeys,
  type LanePlan,
  type Written,
} from '../attacks/reading-subnet.ts'

/** The expected flaws of a history, how its epoch is played, and a change of the chain's export. */
type Row = readonly [named: Named, lie: Lie, change?: (chain: string) => string]

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const RUBBISH = encoder.encode('rubbish')
const OTHER_SECRET = '0f'.repeat(32)
const noFlaw = liar()
/** The liar attests its own lane, whose block no bucket has. */
const unavailable = liar('MISSING_BLOCK', 'COPY_MISSING')

/** The replies of a good player, with which games end by a winning move. */
const solve: NonNullable<LanePlan['reply']> = ({ env, prompt }) => make(env).spec.solve(prompt)
/** The champion is always right, and the contender never. */
const unequal: NonNullable<LanePlan['reply']> = (question) =>
  question.role === 'champion' ? solve(question) : '1'.repeat(16)

const rowsOf = <Forgery>(
  table: Readonly<Record<string, readonly [code: string, forgery: Forgery]>>,
  planOf: (forgery: Forgery) => LanePlan,
): Readonly<Record<string, Row>> =>
  Object.fromEntries(
    Object.entries(table).map(([what, [code, forgery]]) => {
      return [what, [liar(code), sealing(planOf(forgery))]] as const
    }),
  )

/** Returns a block with other header members, or another first sample, signed by `by`. */
function signChangedBlock(
  { bytes }: Written,
  by: Account,
  change: object,
  sample?: string,
): Written {
  const [first = '', , ...lines] = decoder.decode(bytes).trimEnd().split('\n')
  const samples = sample === undefined ? lines : [sample, ...lines.slice(1)]
  const root = hex(computeMerkleRoot(samples.map((line) => encoder.encode(line))))
  const header = canonicalize({ ...JSON.parse(first), root, ...change } as Json)
  const hash = hashBlock(encoder.encode(header))
  const signature = canonicalize({ signature: hex(by.sign(Buffer.from(hash, 'hex'))) })
  const text = [header, signature, ...samples].map((line) => `${line}\n`).join('')
  return { hash, bytes: encoder.encode(text) }
}

/** Lets the honest validators attest one another, and the liar also itself. */
const attestedByLiar: Lie = async (subnet) => {
  await subnet.playHonestly()
  await subnet.lie(hotkeys(subnet.voters))
}

/** Lets the liar seal a changed block, which all serve. */
const sealingChanged =
  (change: (block: Written, subnet: OneLiar) => Written, attest: Lie = attestedByLiar): Lie =>
  async (subnet) => {
    const state = await subnet.state
    const block = change(await subnet.lane(subnet.liar, state), subnet)
    subnet.put(block)
    await subnet.seal(subnet.liar, state, block.hash)
    await attest(subnet)
  }

/**
 * Lets the liar seal blocks with these heights: each has one sample, except the last, which has the
 * remaining samples.
 */
const sealingShort =
  (heights: readonly number[]): Lie =>
  async (subnet) => {
    const state = await subnet.state
    let prev: string | undefined
    for (const [i, height] of heights.entries()) {
      const isLast = i === heights.length - 1
      const header = { height, ...(prev && { prev }), ...(!isLast && { secret: undefined }) }
      const alter: LanePlan['alter'] = (samples) => samples.slice(i, isLast ? undefined : i + 1)
      const block = await subnet.lane(subnet.liar, state, { alter, header })
      subnet.put(block)
      prev = block.hash
    }
    await subnet.seal(subnet.liar, state, prev ?? '')
    await attestedByAll(subnet)
  }

/** Lets all follow the rules, then changes the files of the liar's bucket. */
const serving =
  (
    change: (
      files: Map<string, Uint8Array>,
      lane: Written & { readonly other: Uint8Array; readonly path: string },
      subnet: OneLiar,
    ) => void,
  ): Lie =>
  async (subnet) => {
    const state = await subnet.state
    const [owner] = subnet.honest
    const lane = await subnet.lane(owner, state)
    const { bytes: other } = await subnet.lane(accountOf(1, 1), state)
    await subnet.sealLie({})
    await attestedByAll(subnet)
    const path = blockPath(lane.hash)
    change(subnet.buckets.at(subnet.liar.hotkey).files, { ...lane, other, path }, subnet)
  }

/** Lets the honest validators seal, and the liar attest their lanes with its bucket at `url`. */
const at =
  (url?: string): Lie =>
  async (subnet) => {
    await subnet.playHonestly()
    await subnet.lie(hotkeys(subnet.honest), url)
  }

/** Returns a change of the contender's first reply. */
const changeReply = (change: (reply: Episode['messages'][number]) => object): LanePlan => ({
  reply: unequal,
  alter: byContender(({ messages: [prompt, reply] }) => ({
    messages: [prompt, reply && { ...reply, ...change(reply) }],
  })),
})

/** Lets all voters seal, and the voters that `attest` returns attest all lanes. */
const attestedBy =
  (attest: (subnet: OneLiar) => readonly Account[]): Lie =>
  async (subnet) => {
    const state = await subnet.state
    await subnet.sealAll(state)
    for (const voter of attest(subnet)) await subnet.attest(voter, state, hotkeys(subnet.voters))
  }

/** Plays the epoch by the rules, with lanes of this plan. */
const playEpoch =
  (plan: LanePlan): Lie =>
  async (subnet) =>
    void (await subnet.play(await subnet.state, plan))

/** Returns a plan in which only one of the miners replies, and is right. */
const planWins = (winner: 'champion' | 'contender'): LanePlan => ({
  reply: (question) => (question.role === winner ? solve(question) : undefined),
})

/** Returns the text with `by` in the place of the first occurrence of `part`. */
function replaceText(text: string, part: string | RegExp, by: string): string {
  const changed = text.replace(part, by)
  if (changed === text) throw new Error(`${part} does not occur`)
  return changed
}

const replaceBytes = (bytes: Uint8Array, part: string | RegExp, by: string): Uint8Array =>
  encoder.encode(replaceText(decoder.decode(bytes), part, by))

/** Valid histories. */
const VALID: Readonly<Record<string, Row>> = {
  'all follow the rules': [noFlaw, playEpoch({})],
  'the contender wins': [noFlaw, playEpoch(planWins('contender'))],
  'the champion wins': [noFlaw, playEpoch(planWins('champion'))],
  'no one seals or attests': [noFlaw, async () => {}],
  'three validators attest': [noFlaw, attestedBy(({ honest }) => honest)],
  'two validators attest, too few': [noFlaw, attestedBy(({ honest }) => honest.slice(1))],
  'a lane is not sealed': [noFlaw, at()],
  'an attestation of the epoch before is repeated': [
    noFlaw,
    async (subnet) => {
      const { liar, chain } = subnet
      const { commitments } = await chain.snapshot(chain.height)
      const slot = commitments.find(({ hotkey }) => hotkey === liar.hotkey)
      void chain.commit(liar, slot?.fields ?? [])
      await subnet.playHonestly()
    },
  ],
  'a no-reply at the end of a game is invented': [
    noFlaw,
    sealing({ reply: solve, alter: forge((played) => cut(played, { won: silent })) }),
  ],
  'the champion commits again': [
    noFlaw,
    async (subnet) => {
      await subnet.leave()
      await playEpoch({})(subnet)
    },
  ],
  'an Ed25519 key registers, commits and gives weights': [
    noFlaw,
    async (subnet) => {
      const { chain } = subnet
      const key = ed25519Account(new Uint8Array(32).fill(7))
      void chain.register(key)
      void chain.setWeights(subnet.liar, [[0, 65535]])
      await chain.produce(0)
      const fields = [`m-${key.hotkey}`, 'main', 'c'].map((text) => encoder.encode(text))
      void chain.commit(key, fields)
      await playEpoch({})(subnet)
    },
  ],
}

/** Flaws in what a validator attests, seals or serves. */
const SERVED: Readonly<Record<string, Row>> = {
  'the liar attests its lane, which it did not seal': [liar('NEVER_SEALED'), attestedByLiar],
  'the liar attests a lane of no voter': [
    liar('NEVER_SEALED'),
    async (subnet) => {
      await subnet.playHonestly()
      const bitmap = bitmapOf(await subnet.state, hotkeys(subnet.honest))
      await subnet.lie(bitmap.fill(0x80, bitmap.length - 1))
    },
  ],
  'all attest a lane that was not sealed': [
    ({ voters }) => hotkeys(voters).map((hotkey) => `NEVER_SEALED ${hotkey}`),
    attestedByAll,
  ],
  'an address that no one opens': [liar('COPY_MISSING', 'STATE_MISSING'), at('http://no.example')],
  'an empty bucket': [liar('COPY_MISSING', 'STATE_MISSING'), at('empty')],
  'an attested block is missing': [
    liar('COPY_MISSING'),
    serving((files, { path }) => files.delete(path)),
  ],
  'an attested block is rubbish': [
    liar('BAD_LINES'),
    serving((files, { path }) => files.set(path, RUBBISH)),
  ],
  'an attested block has another header': [
    liar('WRONG_HASH'),
    serving((files, { path, bytes }) =>
      files.set(path, replaceBytes(bytes, '"time":0', '"time":1')),
    ),
  ],
  'an attested block has another sample': [
    liar('WRONG_ROOT'),
    serving((files, { path, bytes }) => files.set(path, replaceBytes(bytes, '"ms":0', '"ms":1'))),
  ],
  'an attested block has another signature': [
    liar('WRONG_SIGNATURE'),
    serving((files, { path, bytes }) =>
      files.set(path, replaceBytes(bytes, /(?<="signature":")../, 'ff')),
    ),
  ],
  'a validator signed a header twice': [
    ({ honest: [owner] }) => [`SIGNED_TWICE ${owner.hotkey}`],
    serving((files, { path, other }) => files.set(path, other)),
  ],
  'a validator signed two headers': [
    ({ liar }) => [`SIGNED_TWICE ${liar.hotkey}`],
    async (subnet) => {
      const state = await subnet.state
      const { hash } = await subnet.lane(subnet.liar, state)
      const { bytes } = await subnet.lane(subnet.liar, state, { header: { time: 1 } })
      await subnet.sealLie({})
      await attestedByAll(subnet)
      subnet.buckets.at(subnet.honest[0].hotkey).files.set(blockPath(hash), bytes)
    },
  ],
  'a state is missing': [
    liar('STATE_MISSING'),
    serving((files) => files.delete(statePath(FIRST_DUEL))),
  ],
  'a state is rubbish': [
    liar('STATE_DIFFERS'),
    serving((files) => files.set(statePath(FIRST_DUEL), RUBBISH)),
  ],
  'another root is attested': [
    liar('WRONG_ROOT_ATTESTED'),
    async (subnet) => {
      const state = await subnet.state
      await subnet.playHonestly()
      await subnet.attest(subnet.liar, { ...state, ratio: state.ratio + 1 }, [])
      subnet.publish(state, [subnet.liar])
    },
  ],
  'a sealed lane is not served': [
    liar('MISSING_BLOCK', 'COPY_MISSING'),
    async (subnet) => {
      const state = await subnet.state
      const { hash } = await subnet.lane(subnet.liar, state)
      await subnet.seal(subnet.liar, state, hash)
      await attestedByLiar(subnet)
    },
  ],
}

/** Void lanes. */
const VOID: Readonly<Record<string, Row>> = {
  ...rowsOf(GAMES, (change) => ({ reply: solve, alter: forge(change) })),
  ...rowsOf(TRANSCRIPTS, (plan) => ({ reply: unequal, ...plan })),
  'a reply that is not normalised': [
    liar('NOT_NORMALISED'),
    sealing(changeReply(({ content }) => ({ content: `${content}\t` }))),
  ],
  'a reply of the user': [liar('WRONG_ROLE'), sealing(changeReply(() => ({ role: 'user' })))],
  'a sample that is not JSON': [
    liar('BAD_SAMPLE'),
    sealingChanged((block, { liar }) => signChangedBlock(block, liar, {}, 'rubbish')),
  ],
  'another member in a header': [
    liar('BAD_HEADER'),
    sealingChanged((block, { liar }) => signChangedBlock(block, liar, { more: 1 }), attestedByAll),
  ],
  'a header with another root': [
    unavailable,
    sealingChanged((block, { liar }) => signChangedBlock(block, liar, { root: OTHER_SECRET })),
  ],
  'a signature of another key': [
    unavailable,
    sealingChanged((block, { honest: [other] }) => signChangedBlock(block, other, {})),
  ],
  'no line feed at the end': [
    unavailable,
    sealingChanged(({ hash, bytes }) => ({ hash, bytes: bytes.slice(0, -1) })),
  ],
  'blocks of one sample': [liar('SHORT_BLOCK'), sealingShort([0, 1, 2])],
  'a gap in the heights': [liar('WRONG_HEIGHT'), sealingShort([0, 2])],
  'another block before the first': [
    liar('WRONG_PREVIOUS'),
    sealing({ header: { prev: 'ab'.repeat(32) } }),
  ],
  'the secret is withheld': [liar('WRONG_SECRET'), sealing({ header: { secret: undefined } })],
  'another secret is revealed': [
    liar('WRONG_SECRET'),
    sealing({ header: { secret: OTHER_SECRET } }),
  ],
  'another secret is played': [liar('WRONG_SECRET'), sealing({ secret: OTHER_SECRET })],
  'another genesis': [liar('WRONG_SCOPE'), sealing({ header: { genesis: OTHER_SECRET } })],
  'another subnet': [liar('WRONG_SCOPE'), sealing({ header: { netuid: 121 } })],
  'another epoch': [liar('WRONG_SCOPE'), sealing({ header: { epoch: 3 } })],
  'a lane of another validator': [
    liar('WRONG_SCOPE'),
    async (subnet) => {
      const state = await subnet.state
      const { hash } = await subnet.lane(subnet.honest[0], state)
      await subnet.seal(subnet.liar, state, hash)
      await attestedByAll(subnet)
    },
  ],
}

/** Lets all attest the liar's lane, which no one serves. */
const hidden: Lie = async (subnet) => {
  const state = await subnet.state
  const { hash } = await subnet.lane(subnet.liar, state)
  await subnet.seal(subnet.liar, state, hash)
  await attestedByAll(subnet)
}

/** Histories that end before their last epoch, since data is unavailable. */
const UNDECIDED: Readonly<Record<string, Row>> = {
  'no one serves an attested lane': [noFlaw, hidden],
  'no one serves an attested lane, after a flaw': [
    liar('STATE_DIFFERS'),
    async (subnet) => {
      await hidden(subnet)
      subnet.buckets.at(subnet.liar.hotkey).files.set(statePath(1), RUBBISH)
    },
  ],
}

/** Lets no one seal or attest, and changes the chain's export. */
const withChain = (part: string | RegExp, by: string): Row => [
  noFlaw,
  async () => {},
  (chain) => replaceText(chain, part, by),
]

/** Histories of chains that a reader refuses. */
const REFUSED: Readonly<Record<string, Row>> = {
  'a block has another hash': withChain(/(?<="hash":")../, 'ff'),
  'a block has another time': withChain('"time":0', '"time":1'),
  'a call has another signature': withChain(/(?<="signature":")../, 'ff'),
  'the last line has no line feed': withChain(/\n$/, ''),
}

const NO_RESULT = { exit: 4, roots: [], flaws: [] }

const HISTORIES = { ...VALID, ...SERVED, ...VOID, ...UNDECIDED, ...REFUSED }

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

/** Recomputes a history as far as possible. */
async function findingsOf({ buckets }: OneLiar, chain: LocalChain): Promise<Exported['want']> {
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
    // A block is unavailable.
    if (!(error instanceof UnavailableError)) throw error
  }
  const exit = isDecided ? 0 : 4
  return { exit: flaws.size > 0 ? 1 : exit, roots, flaws: [...flaws.values()] }
}

/** Returns each text of a history once, with the paths of its files. */
function filesOf({ buckets }: OneLiar, chain: string): Exported['files'] {
  const paths = new Map([[chain, ['chain.jsonl']]])
  for (const [path, bytes] of buckets.files()) {
    const text = decoder.decode(bytes)
    paths.set(text, [...(paths.get(text) ?? []), `buckets/${path}`])
  }
  return [...paths].map(([text, each]) => [text, ...each] as const)
}

/**
 * Plays a history.
 * @throws Error if its flaws are not those of its row.
 */
async function exportHistory(what: string, [named, lie, change]: Row): Promise<Exported> {
  const subnet = new OneLiar(LOCAL_NETWORK)
  const state = await subnet.state
  await lie(subnet)
  await subnet.end(state)
  const chain = subnet.chain.export()
  if (change) return { what, files: [[change(chain), 'chain.jsonl']], want: NO_RESULT }
  const want = await findingsOf(subnet, subnet.chain)
  const found = want.flaws.map(([validator, , code]) => `${code} ${validator}`)
  const expected = [...new Set(named(subnet))]
  if (found.sort().join() !== expected.sort().join())
    throw new Error(`${what}: expected ${expected}, got ${found}`)
  const also = ALSO[what] ?? []
  const flaws = want.flaws.map((flaw) => [...flaw, ...also] as const)
  return { what, files: filesOf(subnet, chain), want: { ...want, flaws } }
}

/** Yields all histories. */
export async function* exportHistories(): AsyncGenerator<Exported, void> {
  for (const [what, row] of Object.entries(HISTORIES)) yield await exportHistory(what, row)
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
