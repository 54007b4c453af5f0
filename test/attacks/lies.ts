import { blockPath, type Episode, statePath } from '../../packages/blocks/src/index.ts'
import { forge as forgeBlock } from '../../packages/blocks/test/lane.ts'
import { type Account, ed25519Account, verify } from '../../packages/chain/src/index.ts'
import type { State } from '../../packages/duel/src/index.ts'
import { bitmapOf } from '../../packages/duel/test/subnet.ts'
import { make } from '../../packages/envs/src/index.ts'
import { byContender, cut, forge, GAMES, silent, TRANSCRIPTS } from './forgeries.ts'
import { attestedByAll, type Lie, liar, type Named, type OneLiar, sealing } from './one-liar.ts'
import {
  accountOf,
  FIRST_DUEL,
  hotkeys,
  type LanePlan,
  type Reply,
  type Written,
} from './reading-subnet.ts'

/** Lies by name, each with the expected flaws. The names occur in vectors/conformance. */
export type Rows = Readonly<Record<string, readonly [named: Named, lie: Lie]>>

const encoder = new TextEncoder()
const decoder = new TextDecoder()
export const RUBBISH: Uint8Array = encoder.encode('rubbish')
const OTHER_SECRET = '0f'.repeat(32)
const noFlaw = liar()
/** The flaws of a liar that attests its own lane, whose block no bucket has. */
const unavailable = liar('MISSING_BLOCK', 'COPY_MISSING')
/** Returns the liar's flaws: `code` for its copy of each of the three honest lanes, and `more`. */
export const eachCopy = (code: string, ...more: readonly string[]): Named =>
  liar(code, code, code, ...more)

/** The replies of a good player, with which games end by a winning move. */
const solve: Reply = ({ env, prompt }) => make(env).spec.solve(prompt)
/** The replies of a champion that is always right and of a contender that never is. */
const unequal: Reply = (question) =>
  question.role === 'champion' ? solve(question) : '1'.repeat(16)

const rowsOf = <Forgery>(
  table: Readonly<Record<string, readonly [code: string, forgery: Forgery]>>,
  planOf: (forgery: Forgery) => LanePlan,
): Rows =>
  Object.fromEntries(
    Object.entries(table).map(([what, [code, forgery]]) => {
      return [what, [liar(code), sealing(planOf(forgery))]] as const
    }),
  )

/** Returns a block with other header members, or another first sample, signed by `by`. */
function signChangedBlock({ bytes }: Written, by: Account, header: object, sample?: string) {
  const [first = '', , ...lines] = decoder.decode(bytes).trimEnd().split('\n')
  if (sample !== undefined) lines[0] = sample
  const { root: _, ...fields } = JSON.parse(first)
  return forgeBlock({ ...by, verify }, fields, {
    header,
    lines: lines.map((line) => encoder.encode(line)),
  })
}

/** Lets the honest validators attest one another, and the liar also itself. */
export const attestedByLiar: Lie = async (subnet) => {
  await subnet.playHonestly()
  await subnet.lie(hotkeys(subnet.voters))
}

/** Lets the liar seal the lane of the validator that `ownerOf` returns. No bucket serves it. */
const sealingUnserved =
  (ownerOf: (subnet: OneLiar) => Account, attest: Lie): Lie =>
  async (subnet) => {
    const state = await subnet.state
    const { hash } = await subnet.lane(ownerOf(subnet), state)
    await subnet.seal(subnet.liar, state, hash)
    await attest(subnet)
  }
const ownLane = ({ liar }: OneLiar): Account => liar

/** Lets the liar seal a changed block, which all buckets serve. */
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
export const sealingShort =
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

/**
 * Lets all follow the rules, then changes the files of the liar's bucket. `lane` is the block of an
 * honest validator, and `other` the same block signed with another nonce.
 */
const serving =
  (
    change: (
      files: Map<string, Uint8Array>,
      lane: Written & { readonly other: Uint8Array; readonly path: string },
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
    change(subnet.buckets.at(subnet.liar.hotkey).files, { ...lane, other, path })
  }

/**
 * Lets the honest validators seal, and the liar attest their lanes with its bucket at `url`.
 * Calls `spoil` before the liar attests.
 */
export const at =
  (url?: string, spoil: (subnet: OneLiar, state: State) => void = () => {}): Lie =>
  async (subnet) => {
    await subnet.playHonestly()
    spoil(subnet, await subnet.state)
    await subnet.lie(hotkeys(subnet.honest), url)
  }

/** Returns a plan of a lane in which `change` alters the contender's first reply. */
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

export const replaceBytes = (bytes: Uint8Array, part: string | RegExp, by: string): Uint8Array =>
  encoder.encode(replaceText(decoder.decode(bytes), part, by))

/** Returns the text with `by` in the place of the first occurrence of `part`. */
export function replaceText(text: string, part: string | RegExp, by: string): string {
  const changed = text.replace(part, by)
  if (changed === text) throw new Error(`${part} does not occur`)
  return changed
}

/** A lie that no reader detects: a game whose winning reply is replaced by a no-reply. */
export const INVENTED_NO_REPLY: Lie = sealing({
  reply: solve,
  alter: forge((played) => cut(played, { won: silent })),
})

/** Histories without a flaw. */
export const VALID: Rows = {
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
  'a no-reply at the end of a game is invented': [noFlaw, INVENTED_NO_REPLY],
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
export const SERVED: Rows = {
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
  'an address that no one opens': [
    eachCopy('COPY_MISSING', 'STATE_MISSING'),
    at('http://no.example'),
  ],
  'an empty bucket': [eachCopy('COPY_MISSING', 'STATE_MISSING'), at('empty')],
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
  'a sealed lane is not served': [unavailable, sealingUnserved(ownLane, attestedByLiar)],
}

/** Lanes with forged games, which are void. Protocol §3.1, §6.5. */
export const FORGED_GAMES: Rows = rowsOf(GAMES, (change) => ({
  reply: solve,
  alter: forge(change),
}))

/** Lanes with forged transcripts, which are void. Protocol §6.5. */
export const FORGED_TRANSCRIPTS: Rows = rowsOf(TRANSCRIPTS, (plan) => ({ reply: unequal, ...plan }))

/** Void lanes. */
export const VOID: Rows = {
  ...FORGED_GAMES,
  ...FORGED_TRANSCRIPTS,
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
    sealingUnserved(({ honest: [owner] }) => owner, attestedByAll),
  ],
}

/** Lets all attest the liar's lane, which no one serves. */
const hidden = sealingUnserved(ownLane, attestedByAll)

/** Epochs that cannot be decided, since data is unavailable. */
export const UNDECIDED: Rows = {
  'no one serves an attested lane': [noFlaw, hidden],
  'no one serves an attested lane, after a flaw': [
    liar('STATE_DIFFERS'),
    async (subnet) => {
      await hidden(subnet)
      subnet.buckets.at(subnet.liar.hotkey).files.set(statePath(1), RUBBISH)
    },
  ],
}
