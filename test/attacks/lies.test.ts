import { beforeAll, describe, expect, it } from 'vitest'
import {
  blockPath,
  judgeSampleProof,
  proveSample,
  readBlock,
} from '../../packages/blocks/src/index.ts'
import { verify } from '../../packages/chain/src/index.ts'
import { stateRoot } from '../../packages/duel/src/index.ts'
import { laneScope, readSeals } from '../../packages/settlement/src/index.ts'
import { testLies } from './found-out.ts'
import { attestedByAll, type Lie, liar, OneLiar, sealing } from './one-liar.ts'
import { accountOf, flawsOf, hotkeys, type LanePlan, type Written } from './reading-subnet.ts'

const RUBBISH = new TextEncoder().encode('rubbish')

// Protocol §5.2: an attestation has a bit for each lane that was sealed, is valid and is served.
// §8.3: a lane counts only if it was sealed, regardless of who attests it.
describe('attested-never-sealed', () => {
  testLies({
    'the liar attests it': [
      liar('NEVER_SEALED'),
      async (subnet) => {
        await subnet.playHonestly()
        await subnet.lie(hotkeys(subnet.voters))
      },
    ],
    'all attest it': [
      ({ voters }) => hotkeys(voters).map((hotkey) => `NEVER_SEALED ${hotkey}`),
      attestedByAll,
    ],
  })
})

// Protocol §5.2: a validator that attests a lane serves it, at the address that it announces.
describe('attested-not-served', () => {
  const at =
    (url: string, spoil: (subnet: OneLiar) => void = () => {}): Lie =>
    async (subnet) => {
      await subnet.playHonestly()
      subnet.publish(await subnet.state)
      spoil(subnet)
      await subnet.lie(hotkeys(subnet.honest), url)
    }
  const eachLane = (code: string, ...more: readonly string[]) => liar(code, code, code, ...more)
  const fill = ({ buckets, liar }: OneLiar, fileOf: (bytes: Uint8Array) => Uint8Array) => {
    for (const [path, bytes] of buckets.at(liar.hotkey).files)
      buckets.at('other').files.set(path, fileOf(bytes))
  }

  testLies({
    'files at another address': [liar(), at('other', (subnet) => fill(subnet, (bytes) => bytes))],
    'an address that no one opens': [eachLane('COPY_MISSING', 'STATE_MISSING'), at('nowhere')],
    'an empty bucket': [eachLane('COPY_MISSING', 'STATE_MISSING'), at('empty')],
    'a silent bucket, each flaw once': [
      // Which blocks were requested from the liar's bucket after its first failure is chance.
      liar('COPY_MISSING', 'STATE_MISSING'),
      at('silent', ({ buckets }) => {
        buckets.at('silent').behaviour = 'fails'
      }),
    ],
    'a bucket with other bytes': [
      eachLane('BAD_LINES', 'STATE_DIFFERS'),
      at('other', (subnet) => fill(subnet, () => RUBBISH)),
    ],
  })
})

// Protocol §6.2: every block except a lane's last is full. A lane of 1,024 blocks of one sample was
// once valid, and cost each reader 1,024 reads of up to 29 s each.
describe('blocks-of-one-sample', () => {
  /** Lets the liar seal four blocks of one sample each. Resolves with their paths. */
  async function sealInFour(subnet: OneLiar): Promise<readonly string[]> {
    const state = await subnet.state
    const blocks: Written[] = []
    for (const height of [0, 1, 2, 3]) {
      const before = blocks.at(-1) && { prev: blocks.at(-1)?.hash }
      const secret = height < 3 && { secret: undefined }
      const alter: LanePlan['alter'] = (samples) => samples.slice(height, height + 1)
      const header = { height, ...before, ...secret }
      blocks.push(await subnet.lane(subnet.liar, state, { alter, header }))
    }
    for (const block of blocks) subnet.put(block)
    await subnet.seal(subnet.liar, state, blocks.at(-1)?.hash ?? '')
    await attestedByAll(subnet)
    return blocks.map(({ hash }) => blockPath(hash))
  }

  testLies({
    'all attest the void lane': [
      liar('SHORT_BLOCK'),
      async (subnet) => void (await sealInFour(subnet)),
    ],
  })

  it('reads at most two of the four blocks', async () => {
    const subnet = new OneLiar()
    const paths = await sealInFour(subnet)
    expect((await subnet.outcome()).flaws).toHaveLength(1)
    const read = new Set(subnet.buckets.reads.map(([, path]) => path))
    expect(paths.filter((path) => read.has(path)).length).toBeLessThanOrEqual(2)
  })
})

// Protocol §6.5: the last block reveals the secret committed before the beacon. A validator that
// withholds or changes it loses its own lane. No other lane depends on the secret.
describe('secret-withheld', () => {
  const OTHER = '0f'.repeat(32)

  testLies({
    'it withholds its secret': [liar('WRONG_SECRET'), sealing({ header: { secret: undefined } })],
    'it reveals another one': [liar('WRONG_SECRET'), sealing({ header: { secret: OTHER } })],
    'it plays the challenges of another secret': [liar('WRONG_SECRET'), sealing({ secret: OTHER })],
    'it does not seal': [
      liar(),
      async (subnet) => {
        await subnet.playHonestly()
        await subnet.lie(hotkeys(subnet.honest))
      },
    ],
  })
})

// Protocol §6.5: a decision reads only lanes that more than half of the attesting weight attests.
// §6.4: a bucket that serves nothing is named, and no one waits for it.
describe('withheld-blocks', () => {
  const HALF: LanePlan = {
    alter: (samples) => samples.slice(1),
    header: { height: 1, prev: 'ab'.repeat(32) },
  }
  /** Lets the liar seal a lane that only it attests. Its block is served if `isServed`. */
  async function withheld(subnet: OneLiar, plan: LanePlan = {}, isServed = false) {
    const state = await subnet.state
    const block = await subnet.lane(subnet.liar, state, plan)
    if (isServed) subnet.put(block)
    await subnet.seal(subnet.liar, state, block.hash)
    await subnet.playHonestly()
    await subnet.lie(hotkeys(subnet.voters))
    return block
  }

  testLies({
    'it serves nothing': [
      liar('MISSING_BLOCK', 'COPY_MISSING'),
      async (subnet) => void (await withheld(subnet)),
    ],
    'it serves the second of two blocks': [
      liar('MISSING_BLOCK', 'COPY_MISSING'),
      async (subnet) => void (await withheld(subnet, HALF, true)),
    ],
  })

  it('decides the same root without reading the withheld block', async () => {
    const [subnet, served] = [new OneLiar(), new OneLiar()]
    const { hash } = await withheld(subnet)
    await withheld(served, {}, true)
    const { root } = await subnet.outcome()
    expect(flawsOf(await subnet.recompute({ compare: false }))).toEqual([])
    const paths = subnet.buckets.reads.map(([, path]) => path)
    expect(paths).not.toContain(blockPath(hash))
    // Each of the three lanes that count is read once.
    expect(paths).toHaveLength(subnet.honest.length)
    expect(await served.outcome()).toMatchObject({ flaws: [], root })
  })

  it('reads the liar’s failing bucket three times: for a state, the lane and copies', async () => {
    const subnet = new OneLiar()
    await withheld(subnet)
    const { root } = await subnet.outcome()
    subnet.buckets.at(subnet.liar.hotkey).behaviour = 'fails'
    const [epoch] = await subnet.recompute({ from: await subnet.state })
    expect(epoch && stateRoot(epoch.state)).toBe(root)
    expect(subnet.buckets.readsOf(subnet.liar.hotkey)).toHaveLength(3)
  })
})

// Protocol §6.6: a reader compares the header's genesis, netuid, validator and epoch with its own
// values, not with the proof's. Here the liar seals a foreign block itself, so that the head
// matches.
describe('proof-of-another-subnet', () => {
  type Elsewhere = (subnet: OneLiar) => Promise<Written>
  const laneWithHeader =
    (header: NonNullable<LanePlan['header']>): Elsewhere =>
    async (subnet) =>
      subnet.lane(subnet.liar, await subnet.state, { header })
  /** Lets the liar seal the block. Resolves with the verdict on a proof of its first sample. */
  async function judgeProofOf(subnet: OneLiar, blockOf: Elsewhere) {
    const { chain, liar } = subnet
    const state = await subnet.state
    const { hash, bytes } = await blockOf(subnet)
    subnet.put({ hash, bytes })
    await subnet.seal(liar, state, hash)
    await attestedByAll(subnet)
    const read = readBlock(bytes, { hash, verify })
    const scope = await laneScope(chain, state, liar.hotkey)
    const head = (await readSeals(chain, state))[liar.hotkey]
    if (!read.ok || scope === null || head === undefined) throw new Error('no lane')
    const proof: unknown = JSON.parse(JSON.stringify(proveSample(read.value, 0)))
    return judgeSampleProof(proof, { head, scope, verify }).result
  }
  const of = (member: string, blockOf: Elsewhere) => {
    const refused = { ok: false, code: 'BAD_PROOF', detail: expect.stringContaining(member) }
    const lie: Lie = async (subnet) => expect(await judgeProofOf(subnet, blockOf)).toEqual(refused)
    return [liar('WRONG_SCOPE'), lie] as const
  }

  testLies({
    'another genesis': of('genesis: expected ', laneWithHeader({ genesis: '9f'.repeat(32) })),
    'another netuid': of('netuid: expected ', laneWithHeader({ netuid: 121 })),
    'another epoch': of('epoch: expected ', laneWithHeader({ epoch: 3 })),
    'another validator': of('validator: expected ', async (subnet) =>
      subnet.lane(subnet.honest[0], await subnet.state),
    ),
  })

  it('accepts a proof of a block whose header names the expected lane', async () => {
    const subnet = new OneLiar()
    expect(await judgeProofOf(subnet, laneWithHeader({}))).toMatchObject({ ok: true })
    expect((await subnet.outcome()).flaws).toEqual([])
  })
})

// Protocol §5.2: signing twice for one epoch and height is a flaw of the signer, not of a validator
// that mirrors either block.
describe('header-signed-twice', () => {
  /**
   * Plays an epoch in which all validators seal and attest, but some buckets have another copy of
   * the liar's block.
   */
  async function mirrorLane(copyOf: (subnet: OneLiar, sealed: Written) => Promise<Uint8Array>) {
    const subnet = new OneLiar()
    const { liar, honest } = subnet
    const sealed = await subnet.lane(liar, await subnet.state)
    await subnet.sealLie({})
    await attestedByAll(subnet)
    const copy = await copyOf(subnet, sealed)
    for (const { hotkey } of honest.slice(1))
      subnet.buckets.at(hotkey).files.set(blockPath(sealed.hash), copy)
    return { subnet, outcome: await subnet.outcome() }
  }
  const twice = ({ liar }: OneLiar) => [`SIGNED_TWICE ${liar.hotkey}`]
  const byMirrors = ({ honest }: OneLiar) =>
    hotkeys(honest.slice(1)).map((hotkey) => `WRONG_SIGNATURE ${hotkey}`)
  /** Returns the block with another hex digit at this place of its signature. */
  const changeSignature = (place: number, { bytes }: Written): Uint8Array => {
    const at = Buffer.from(bytes).indexOf('"signature":"') + '"signature":"'.length + place
    const digit = Number.parseInt(String.fromCharCode(bytes[at] ?? 0), 16)
    return bytes.map((byte, i) => (i === at ? (digit ^ 8).toString(16).charCodeAt(0) : byte))
  }

  let root: string
  beforeAll(async () => {
    const { outcome } = await mirrorLane(async (_, { bytes }) => bytes)
    expect(outcome.flaws).toEqual([])
    root = outcome.root
  })

  it.each<
    readonly [string, (subnet: OneLiar) => readonly string[], Parameters<typeof mirrorLane>[0]]
  >([
    [
      'with other content: names its signer, once',
      twice,
      async (subnet) =>
        (await subnet.lane(subnet.liar, await subnet.state, { header: { time: 1 } })).bytes,
    ],
    [
      'with another signature: names its signer, once',
      twice,
      async (subnet) => {
        const again = accountOf(subnet.voters.length, 1)
        expect(again.hotkey).toBe(subnet.liar.hotkey)
        return (await subnet.lane(again, await subnet.state)).bytes
      },
    ],
    ...[0, 127].map(
      (place) =>
        [
          `altered by mirrors at digit ${place} of the signature: names the mirrors`,
          byMirrors,
          async (_: OneLiar, sealed: Written) => changeSignature(place, sealed),
        ] as const,
    ),
  ])('a copy %s, and decides the same', async (_, named, copyOf) => {
    const { subnet, outcome } = await mirrorLane(copyOf)
    expect(outcome.flaws).toEqual(named(subnet))
    expect(outcome.accepted).toEqual(new Set(hotkeys(subnet.voters)))
    expect(outcome.root).toBe(root)
  })
})
