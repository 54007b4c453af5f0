import type { Result } from '@affine/prng'
import { afterAll, expect, it } from 'vitest'
import {
  type BlockFault,
  type Episode,
  type EpisodeSample,
  FAULT_CODES,
  judgeSampleProof,
  LIMITS,
  proveSample,
  readBlock,
  type Sample,
  type SampleProof,
  verifyLane,
} from '../src/index.ts'
import { keyOf } from './keys.ts'
import { type Files, honestSamples, laneOf, type Plan, plansOf, SECRET, scopeOf } from './lane.ts'

/*
 * Two honest lanes under a real key: a long one of 42 samples in blocks of 20, 20 and 2, and a
 * short one of 18 samples. Samples of the champion and the contender alternate: first mult8, then
 * tic-tac-toe, which begins at index 8 in the short lane. A fault is made in one of two ways:
 * `verifyWithBytes` changes stored bytes, as a mirror could; the other functions have the validator
 * itself sign other content, with correct hashes and roots.
 */
const key = keyOf(1)
const scope = scopeOf(key.hotkey, { 'tictactoe@0.1.0': 5, 'mult8@0.1.0': 16 })
const short = scopeOf(key.hotkey, { 'tictactoe@0.1.0': 5, 'mult8@0.1.0': 4 })
const { blockSamples } = LIMITS
Object.assign(LIMITS, { blockSamples: 20 })
afterAll(() => Object.assign(LIMITS, { blockSamples }))
const many = await honestSamples(scope)
/** The samples of the short lane. */
const samples = (await honestSamples(short)) as EpisodeSample[]
const plans = plansOf(many)
const honest = laneOf(key, scope, plans)
/** The proof of sample 1 of the long lane's first block. */
const proof = proveSample(blockAt(0), 1, [blockAt(1).header, blockAt(2).header])

type Verdict = Promise<Result<unknown, BlockFault>>

/**
 * Verifies the long lane with the stored bytes of one block changed. Block 0 is the head, 2 the
 * first.
 */
function verifyWithBytes(block: number, edit: (bytes: Uint8Array) => Uint8Array): Verdict {
  const lane = laneOf(key, scope, plans)
  const [hash, bytes] = [...lane.bytes].reverse()[block]!
  lane.bytes.set(hash, edit(bytes))
  return verifyLane(lane)
}

/** Verifies the short lane, signed over other samples. */
function verifySamples(edit: (samples: EpisodeSample[]) => readonly object[]): Verdict {
  return verifyLane(laneOf(key, short, plansOf(edit(structuredClone(samples)) as Sample[])))
}

/** Verifies the short lane, signed with other fields in one sample. */
function verifyWithSample(index: number, change: (sample: EpisodeSample) => object): Verdict {
  return verifySamples((all) =>
    all.map((sample, i) => (i === index ? { ...sample, ...change(sample) } : sample)),
  )
}

/**
 * Verifies the short lane, signed with another transcript of a finished tic-tac-toe of two or more
 * replies.
 */
function verifyWithMessages(
  change: (messages: Episode['messages'][number][]) => unknown[],
): Verdict {
  const index = samples.findIndex(({ fault, messages }) => !fault && messages.length >= 4)
  return verifyWithSample(index, ({ messages }) => ({ messages: change([...messages]) }))
}

/**
 * Verifies the long lane, signed with other header fields in one block. Block 0 is the first, 2 the
 * last.
 */
function verifyWithHeader(block: number, header: NonNullable<Plan['header']>): Verdict {
  const changed = plans.map((plan, i) => (i === block ? { ...plan, header } : plan))
  return verifyLane(laneOf(key, scope, changed))
}

function blockAt(place: number) {
  const [hash, bytes] = [...honest.bytes][place]!
  const read = readBlock(bytes, { hash, verify: key.verify })
  if (!read.ok) throw new Error(read.detail)
  return read.value
}

/** Verifies the changed proof. */
async function judgeProof(change: (proof: SampleProof) => unknown): Verdict {
  return judgeSampleProof(change(proof), { head: honest.head, scope, verify: key.verify }).result
}

const other = keyOf(2)

const cases: Record<BlockFault, Record<string, () => Verdict>> = {
  BAD_LINES: {
    nothing: () => verifyWithBytes(1, () => new Uint8Array()),
  },
  BAD_HEADER: {
    'an epoch past 32 bits': () => verifyWithHeader(1, { epoch: 2 ** 32 }),
    'a validator without address': () => verifyWithHeader(1, { validator: 'nobody' }),
  },
  WRONG_HASH: {
    'a sibling block': () => verifyWithBytes(1, () => [...honest.bytes.values()][0]!),
    'line feeds alone': () => verifyWithBytes(1, () => new Uint8Array(LIMITS.blockBytes).fill(10)),
  },
  WRONG_SIGNATURE: {
    "another's": () => verifyLane(laneOf({ ...key, sign: other.sign }, scope, plans)),
    'in a proof': () => judgeProof((proof) => ({ ...proof, signature: '00'.repeat(64) })),
  },
  WRONG_ROOT: {
    'a flipped bit in a sample': () =>
      verifyWithBytes(2, (bytes) =>
        Uint8Array.from(bytes, (byte, i) => (i === bytes.length - 9 ? byte ^ 1 : byte)),
      ),
  },
  // `shape.test.ts` tests all schemas of a sample.
  BAD_SAMPLE: {
    'an unknown key': () => verifyWithSample(0, () => ({ note: 1 })),
    'a terminal escape in env': () => verifyWithSample(0, () => ({ env: '\u001b[2J' })),
  },
  MISSING_BLOCK: {
    'an unknown head': () => verifyLane({ ...honest, head: 'ab'.repeat(32) }),
  },
  WRONG_SCOPE: {
    'of another network': () => verifyWithHeader(2, { genesis: 'ab'.repeat(32) }),
    'of another subnet': () => verifyWithHeader(2, { netuid: 1 }),
    'of another epoch': () => verifyWithHeader(0, { epoch: 6 }),
    "another validator's lane": () => {
      const theirs = scopeOf(other.hotkey, {}, scope.quotas)
      return verifyLane({ ...laneOf(other, theirs, plans), scope })
    },
  },
  WRONG_HEIGHT: {
    'one too high': () => verifyWithHeader(1, { height: 2 }),
    'height 0 too early': () => verifyWithHeader(1, { height: 0 }),
    'a height past the quota': () => verifyWithHeader(2, { height: 10 }),
    'the greatest height': () => verifyWithHeader(2, { height: 2 ** 32 - 1 }),
  },
  WRONG_PREVIOUS: {
    'another last seal': () => verifyLane({ ...honest, previous: 'ab'.repeat(32) }),
    'another previous hash': () => verifyWithHeader(0, { prev: 'ab'.repeat(32) }),
    'first block left out': () => verifyLane({ ...withoutFirstBlock(), previous: honest.previous }),
  },
  SHORT_BLOCK: {
    'empty, in the middle': () =>
      verifyLane(laneOf(key, scope, [plans[0]!, { lines: [] }, ...plans.slice(1)])),
    'one sample too few': () =>
      verifyLane(
        laneOf(key, scope, [plans[0]!, { lines: many.slice(20, 39) }, { lines: many.slice(39) }]),
      ),
    'before an empty one': () => verifyLane(laneOf(key, scope, [...plans, { lines: [] }])),
  },
  WRONG_SECRET: {
    'another secret': () => verifyWithHeader(2, { secret: 'ab'.repeat(32) }),
    'sealed without the secret': () => verifyWithHeader(2, { secret: undefined }),
    'an earlier head': () => verifyLane({ ...honest, head: [...honest.bytes.keys()][1]! }),
    'before the last block': () => verifyWithHeader(1, { secret: SECRET }),
  },
  MISSING_INDEX: {
    'the first sample missing': () => verifySamples((all) => all.slice(1)),
    'one sample more, in front': () => verifySamples((all) => [all[0]!, ...all]),
    'one sample more, last': () => verifySamples((all) => [...all, all[2]!]),
    'no samples at all': () => verifySamples(() => []),
    'no first block': () => verifyLane(withoutFirstBlock()),
  },
  WRONG_CHALLENGE: {
    'of another index': () => verifyWithSample(0, () => ({ challengeId: samples[2]!.challengeId })),
    'of more than 32 bytes': () => verifyWithSample(0, () => ({ challengeId: 'z'.repeat(44) })),
    'played under another beacon': () =>
      verifyLane({ ...honest, scope: { ...scope, beacon: 'ab'.repeat(32) } }),
    'past the quota': () => verifyWithSample(16, () => ({ index: 5 })),
    'a closed environment': () => verifyWithSample(4, () => ({ env: 'mult8@0.2.0' })),
    'named like a method': () => verifyWithSample(4, () => ({ env: 'constructor' })),
    'a sample left out': () => verifySamples((all) => all.filter((_, i) => i !== 3)),
    'a stranger': () => verifyWithSample(0, () => ({ miner: other.hotkey })),
    'a game for one player': () => {
      const { env, index, challengeId, ...played } = samples[0]!
      const game = { env, index, challengeId, champion: played, contender: played }
      return verifySamples(([, ...rest]) => [game, ...rest])
    },
  },
  REPEATED_INVOCATION: {
    'within an episode': () =>
      verifyWithMessages((messages) =>
        messages.map((one) => (one.role === 'user' ? one : { ...one, invocation: 'x' })),
      ),
    'across the lane': () => {
      const [mine, theirs] = samples.filter(({ messages }) => messages[1]?.invocation)
      const { invocation } = mine!.messages[1]!
      return verifyWithSample(samples.indexOf(theirs!), (sample) => {
        const [first, reply, ...rest] = sample.messages
        return { messages: [first, { ...reply, invocation }, ...rest] }
      })
    },
  },
  PROMPT_DIFFERS: {
    'another challenge played': () =>
      verifyWithSample(0, () => ({ messages: samples[2]!.messages })),
  },
  NOT_NORMALISED: {
    'an escape sequence': () =>
      verifyWithMessages(([first, reply, ...rest]) => [
        first,
        { ...reply, content: `\u001b[1m${reply!.content}` },
        ...rest,
      ]),
  },
  WRONG_ROLE: {
    'a reply first': () => verifyWithMessages(([, ...rest]) => rest),
  },
  TOO_SHORT: {
    'the end left out': () => verifyWithMessages((messages) => messages.slice(0, 2)),
  },
  TOO_LONG: {
    'a prompt after the end': () => verifyWithMessages((messages) => [...messages, messages[0]]),
  },
  WRONG_FAULT: {
    'a fault despite a reply': () => verifyWithSample(clean(), () => ({ fault: 'no-reply' })),
    'no reply, no fault': () =>
      verifyWithSample(clean(), (sample) => ({ messages: sample.messages.slice(0, 1) })),
  },
  WRONG_REWARD: {
    'a point more': () => verifyWithSample(0, (sample) => ({ reward: sample.reward + 1 })),
    'a forfeit with the reward of a draw': () =>
      verifyWithSample(8, (sample) => ({
        messages: sample.messages.slice(0, 1),
        reward: 0,
        fault: 'no-reply',
      })),
  },
  BAD_PROOF: {
    nothing: () => judgeProof(() => null),
    'a path of null': () => judgeProof((proof) => ({ ...proof, path: [null] })),
    'another index': () => judgeProof((proof) => ({ ...proof, index: 2 })),
    'a link left out': () => judgeProof((proof) => ({ ...proof, links: proof.links.slice(1) })),
    'a header of another version': () =>
      judgeProof((proof) => ({ ...proof, header: proof.header.replace('"v":1', '"v":2') })),
  },
}

/** Returns the index of the first sample without a fault. */
const clean = () => samples.findIndex(({ fault }) => !fault)

/** Returns the long lane without its first block. */
function withoutFirstBlock(): Files {
  return laneOf(key, scope, plans.slice(1), [...honest.bytes.keys()][0]!)
}

it('has a case for every code, and no other', () => {
  expect(Object.keys(cases).sort()).toEqual([...FAULT_CODES].sort())
  for (const variants of Object.values(cases)) expect(Object.keys(variants)).not.toEqual([])
})

it('finds no fault in the honest lane and its proof', async () => {
  expect(await verifyLane(honest)).toMatchObject({ ok: true })
  expect(await judgeProof((proof) => proof)).toEqual({ ok: true, value: many[1] })
})

it('finds and describes each fault', async () => {
  const lines: string[] = []
  for (const [code, variants] of Object.entries(cases)) {
    lines.push(code)
    for (const [name, produce] of Object.entries(variants)) {
      const result = await produce()
      const detail = expect.stringMatching(/^\P{C}{1,400}$/u)
      expect.soft(result, name).toEqual({ ok: false, code, detail })
      const message = result.ok ? '' : result.detail
      lines.push(`  ${name}: ${message.replaceAll(/\b[0-9a-f]{64}\b/g, '<hash>')}`)
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('snapshots/faults.txt')
})
