import { canonicalize, type Json, type Result } from '@affine/prng'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type BlockFault,
  checkBlock,
  type Episode,
  type EpisodeSample,
  FAULT_CODES,
  type Header,
  judgeSampleProof,
  LIMITS,
  proveSample,
  readBlock,
  type Sample,
  type SampleProof,
  verifyLane,
} from '../src/index.ts'
import { keyOf } from './keys.ts'
import {
  CHAMPION,
  CONTENDER,
  type Files,
  honestSamples,
  laneOf,
  type Plan,
  plansOf,
  SECRET,
  scopeOf,
} from './lane.ts'

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
let many: Sample[]
/** The samples of the short lane. */
let samples: EpisodeSample[]
let plans: Plan[]
let honest: Files
/** The proof of sample 1 of the long lane's first block. */
let proof: SampleProof

const { blockSamples } = LIMITS
beforeAll(async () => {
  Object.assign(LIMITS, { blockSamples: 20 })
  many = await honestSamples(scope)
  samples = (await honestSamples(short)) as EpisodeSample[]
  plans = plansOf(many)
  honest = laneOf(key, scope, plans)
  const after = [(await blockAt(1)).header, (await blockAt(2)).header]
  proof = proveSample(await blockAt(0), 1, after)
})

afterAll(() => Object.assign(LIMITS, { blockSamples }))

type Verdict = Promise<Result<unknown, BlockFault>>

/**
 * Verifies the long lane with the stored bytes of one block changed. Block 0 is the head, 2 the
 * first.
 */
function verifyWithBytes(block: number, edit: (bytes: Uint8Array) => Uint8Array): Verdict {
  const [hash, bytes] = [...honest.bytes].reverse()[block]!
  const read: Files['read'] = async (wanted) => {
    return wanted.hash === hash
      ? checkBlock(edit(bytes), { ...wanted, verify: key.verify })
      : honest.read(wanted)
  }
  return verifyLane({ ...honest, read })
}

/** Verifies the long lane with the text of one block changed. */
const verifyWithText = (block: number, edit: (text: string) => string): Verdict =>
  verifyWithBytes(block, (bytes) => utf8ToBytes(edit(new TextDecoder().decode(bytes))))

/** Verifies the short lane, signed over other samples, which may be any JSON or bytes. */
function verifySamples(
  edit: (samples: EpisodeSample[]) => readonly (Json | Sample | Uint8Array)[],
): Verdict {
  return verifyLane(laneOf(key, short, plansOf(edit(structuredClone(samples)) as Sample[])))
}

/** Verifies the short lane, signed with one sample changed. */
function verifyWithSample(index: number, change: (sample: EpisodeSample) => object): Verdict {
  return verifySamples((all) =>
    all.map((sample, i) => (i === index ? (change(sample) as Sample) : sample)),
  )
}

/** Verifies the short lane, signed with another first line. */
const verifyWithFirstLine = (line: Uint8Array): Verdict =>
  verifySamples(([, ...rest]) => [line, ...rest])

/**
 * Verifies the short lane, signed with another transcript of a finished tic-tac-toe of two or more
 * replies.
 */
function verifyWithMessages(
  change: (messages: Episode['messages'][number][]) => unknown[],
): Verdict {
  const index = samples.findIndex(({ fault, messages }) => !fault && messages.length >= 4)
  return verifyWithSample(index, (sample) => ({
    ...sample,
    messages: change([...sample.messages]),
  }))
}

/**
 * Verifies the long lane, signed with other header fields in one block. Block 0 is the first, 2 the
 * last.
 */
function verifyWithHeader(
  block: number,
  header: { readonly [key in keyof Header]?: unknown },
): Verdict {
  return verifyLane(
    laneOf(
      key,
      scope,
      plans.map((plan, i) => (i === block ? { ...plan, header } : plan)),
    ),
  )
}

async function blockAt(place: number, files: Files = honest) {
  const [hash, bytes] = [...files.bytes][place]!
  const read = readBlock(bytes, { hash, verify: files.key.verify })
  if (!read.ok) throw new Error(read.detail)
  return read.value
}

/** Verifies the changed proof. */
async function judgeProof(change: (proof: SampleProof) => unknown): Verdict {
  return judgeSampleProof(change(proof), { head: honest.head, scope, verify: key.verify }).result
}

const other = keyOf(2)
const put = (bytes: Uint8Array, at: number, byte: number) =>
  Uint8Array.from(bytes, (old, i) => (i === at ? byte : old))
const swap = (text: string, at: number) =>
  text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)
const withEpisode = (sample: EpisodeSample, change: Partial<Record<keyof Episode, unknown>>) => ({
  ...sample,
  ...change,
})

const cases: Record<BlockFault, Record<string, () => Verdict>> = {
  BAD_LINES: {
    'a block over 8 MiB': () =>
      verifyWithBytes(0, (bytes) =>
        concatBytes(bytes, new Uint8Array(LIMITS.blockBytes - bytes.length), Uint8Array.of(10)),
      ),
    nothing: () => verifyWithBytes(1, () => new Uint8Array()),
  },
  BAD_HEADER: {
    'another version': () => verifyWithHeader(1, { v: 2 }),
    'an unknown key': () => verifyWithHeader(1, { note: 'hello' } as object),
    'an epoch past 32 bits': () => verifyWithHeader(1, { epoch: 2 ** 32 }),
    'a validator without address': () => verifyWithHeader(1, { validator: 'nobody' }),
  },
  WRONG_HASH: {
    'a flipped header bit': () => verifyWithBytes(1, (bytes) => put(bytes, 20, bytes[20]! ^ 1)),
    'a sibling block': () => verifyWithBytes(1, () => [...honest.bytes.values()][0]!),
    'line feeds alone': () => verifyWithBytes(1, () => new Uint8Array(LIMITS.blockBytes).fill(10)),
  },
  WRONG_SIGNATURE: {
    'a flipped bit': () =>
      verifyWithText(1, (text) => swap(text, text.indexOf('"signature":"') + 20)),
    "another's": () => verifyLane(laneOf({ ...key, sign: other.sign }, scope, plans)),
    'of another block': async () => {
      const { signature } = await blockAt(0)
      return verifyWithText(1, (text) =>
        text.replace(/"signature":"\w+"/, `"signature":"${signature}"`),
      )
    },
    'in a proof': () => judgeProof((proof) => ({ ...proof, signature: swap(proof.signature, 9) })),
  },
  WRONG_ROOT: {
    'a flipped bit in a sample': () =>
      verifyWithBytes(2, (bytes) => put(bytes, bytes.length - 9, bytes.at(-9)! ^ 1)),
    'two samples swapped': () =>
      verifyWithText(2, (text) => text.replace(/([^\n]+\n)([^\n]+\n)$/, '$2$1')),
    'signed with another root': () => verifyWithHeader(1, { root: 'ab'.repeat(32) }),
  },
  // `shape.test.ts` tests all schemas of a sample. @affine/prng tests canonical JSON.
  BAD_SAMPLE: {
    'an unknown key': () => verifyWithSample(0, (sample) => ({ ...sample, note: 1 })),
    'a game with a miner': () =>
      verifyWithSample(0, (sample) => ({ ...sample, champion: sample, contender: sample })),
    'a terminal escape in env': () =>
      verifyWithSample(0, (sample) => ({ ...sample, env: '\u001b[2J' })),
    'a third role': () =>
      verifyWithMessages(([first, ...rest]) => [{ ...first, role: 'system' }, ...rest]),
    'a surrogate in UTF-8': () => verifyWithFirstLine(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)),
    'a sample, not JSON': () => verifyWithFirstLine(utf8ToBytes('{"env":')),
    'a byte order mark': () =>
      verifyWithFirstLine(utf8ToBytes(`\ufeff${canonicalize(samples[0] as never)}`)),
    'CR LF': () => verifyWithFirstLine(utf8ToBytes(`${canonicalize(samples[0] as never)}\r`)),
    null: () => verifyWithFirstLine(utf8ToBytes('null')),
  },
  MISSING_BLOCK: {
    'a deleted block': () => {
      const lane = laneOf(key, scope, plans)
      lane.bytes.delete([...lane.bytes.keys()][1]!)
      return verifyLane(lane)
    },
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
    'of another index': () =>
      verifyWithSample(0, (sample) => ({ ...sample, challengeId: samples[2]!.challengeId })),
    'of the challenge before': () =>
      verifyWithSample(2, (sample) => ({ ...sample, challengeId: samples[0]!.challengeId })),
    'not the champion’s': () =>
      verifyWithSample(1, (sample) => ({ ...sample, challengeId: samples[2]!.challengeId })),
    'of more than 32 bytes': () =>
      verifyWithSample(0, (sample) => ({ ...sample, challengeId: 'z'.repeat(44) })),
    'of fewer than 32 bytes': () =>
      verifyWithSample(0, (sample) => ({ ...sample, challengeId: '2'.repeat(32) })),
    'played under another beacon': () =>
      verifyLane({ ...honest, scope: { ...scope, beacon: 'ab'.repeat(32) } }),
    'past the quota': () => verifyWithSample(16, (sample) => ({ ...sample, index: 5 })),
    'a closed environment': () =>
      verifyWithSample(4, (sample) => ({ ...sample, env: 'mult8@0.2.0' })),
    'named like a method': () =>
      verifyWithSample(4, (sample) => ({ ...sample, env: 'constructor' })),
    'a sample left out': () => verifySamples((all) => all.filter((_, i) => i !== 3)),
    'one sample in place of another': () =>
      verifySamples((all) => all.map((sample, i) => (i === 3 ? all[2]! : sample))),
    'two in another order': () => verifySamples(([one, two, ...rest]) => [two!, one!, ...rest]),
    'a stranger': () =>
      verifyWithSample(0, (sample) => withEpisode(sample, { miner: other.hotkey })),
    'the champion twice': () =>
      verifyWithSample(1, (sample) => withEpisode(sample, { miner: CHAMPION })),
    'a game for one player': () =>
      verifyWithSample(0, ({ env, index, challengeId, ...played }) => ({
        env,
        index,
        challengeId,
        champion: { ...played, miner: CHAMPION },
        contender: { ...played, miner: CONTENDER },
      })),
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
        return { ...sample, messages: [first, { ...reply, invocation }, ...rest] }
      })
    },
  },
  PROMPT_DIFFERS: {
    'another challenge played': () =>
      verifyWithSample(0, (sample) => withEpisode(sample, { messages: samples[2]!.messages })),
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
    'a fault despite a reply': () =>
      verifyWithSample(clean(), (sample) => withEpisode(sample, { fault: 'no-reply' })),
    'no reply, no fault': () =>
      verifyWithSample(clean(), (sample) =>
        withEpisode(sample, { messages: sample.messages.slice(0, 1) }),
      ),
  },
  WRONG_REWARD: {
    'a point more': () =>
      verifyWithSample(0, (sample) => withEpisode(sample, { reward: sample.reward + 1 })),
    'a forfeit with the reward of a draw': () =>
      verifyWithSample(8, (sample) =>
        withEpisode(sample, {
          messages: sample.messages.slice(0, 1),
          reward: 0,
          fault: 'no-reply',
        }),
      ),
  },
  BAD_PROOF: {
    nothing: () => judgeProof(() => null),
    'a list': () => judgeProof((proof) => [proof]),
    'an unknown key': () => judgeProof((proof) => ({ ...proof, note: 1 })),
    'a path of null': () => judgeProof((proof) => ({ ...proof, path: [null] })),
    'a fraction as index': () => judgeProof((proof) => ({ ...proof, index: 0.5 })),
    'another index': () => judgeProof((proof) => ({ ...proof, index: 2 })),
    'a sibling less': () => judgeProof((proof) => ({ ...proof, path: proof.path.slice(1) })),
    'a link left out': () => judgeProof((proof) => ({ ...proof, links: proof.links.slice(1) })),
    'a link without header': () =>
      judgeProof((proof) => ({ ...proof, links: ['{}', ...proof.links] })),
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
