import { beforeAll, describe, expect, it } from 'vitest'
import {
  blockPath,
  judgeSampleProof,
  readBlock,
  sampleProof,
} from '../../packages/blocks/src/index.ts'
import { verify } from '../../packages/chain/src/index.ts'
import { stateRoot } from '../../packages/duel/src/index.ts'
import { laneScope, readSeals } from '../../packages/settlement/src/index.ts'
import { attestedByAll, itIsFoundOut, type Lie, liar, sealing } from './found-out.ts'
import { OneLiar } from './one-liar.ts'
import { accountOf, flawsOf, hotkeys, type LanePlan, type Written } from './reading-subnet.ts'

const RUBBISH = new TextEncoder().encode('rubbish')

// Protocol §5.2: a bit is set for a lane that was sealed, was whole and is served. §8.3: a lane
// counts if it was sealed, whoever attests it.
describe('attested-never-sealed', () => {
  itIsFoundOut({
    'by the liar': [
      liar('NEVER_SEALED'),
      async (subnet) => {
        await subnet.beHonest()
        await subnet.lie(hotkeys(subnet.voters))
      },
    ],
    'by all the weight': [
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
      await subnet.beHonest()
      subnet.publish(await subnet.state)
      spoil(subnet)
      await subnet.lie(hotkeys(subnet.honest), url)
    }
  const eachLane = (code: string, ...more: readonly string[]) => liar(code, code, code, ...more)
  const fill = ({ buckets, liar }: OneLiar, fileOf: (bytes: Uint8Array) => Uint8Array) => {
    for (const [path, bytes] of buckets.at(liar.hotkey).files)
      buckets.at('other').files.set(path, fileOf(bytes))
  }

  itIsFoundOut({
    'at another address': [liar(), at('other', (subnet) => fill(subnet, (bytes) => bytes))],
    'an unopened address': [eachLane('COPY_MISSING', 'STATE_MISSING'), at('nowhere')],
    'an empty bucket': [eachLane('COPY_MISSING', 'STATE_MISSING'), at('empty')],
    'a silent bucket, once': [
      // Which of its blocks were asked for after it was silent is chance.
      liar('COPY_MISSING'),
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

// Protocol §6.2: every block but a lane's last is full. Before, a lane of 1,024 blocks of one sample
// each was whole, and cost each reader 1,024 reads, each of which could be served in 29 s.
describe('blocks-of-one-sample', () => {
  /** The liar seals each of its four samples in a block of its own: the paths of these. */
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

  itIsFoundOut({
    'though all attest it': [
      liar('SHORT_BLOCK'),
      async (subnet) => void (await sealInFour(subnet)),
    ],
  })

  it('no more than two of them are read', async () => {
    const subnet = new OneLiar()
    const paths = await sealInFour(subnet)
    expect((await subnet.outcome()).flaws).toHaveLength(1)
    const read = new Set(subnet.buckets.reads.map(([, path]) => path))
    expect(paths.filter((path) => read.has(path)).length).toBeLessThanOrEqual(2)
  })
})

// Protocol §6.5: the last block reveals the secret that was committed to before the beacon. Who
// keeps or changes it loses its own lane, and nothing that others have needs it.
describe('secret-withheld', () => {
  const OTHER = '0f'.repeat(32)

  itIsFoundOut({
    'it withholds its secret': [liar('WRONG_SECRET'), sealing({ header: { secret: undefined } })],
    'it reveals another one': [liar('WRONG_SECRET'), sealing({ header: { secret: OTHER } })],
    'it plays another secret': [liar('WRONG_SECRET'), sealing({ secret: OTHER })],
    'it does not seal': [
      liar(),
      async (subnet) => {
        await subnet.beHonest()
        await subnet.lie(hotkeys(subnet.honest))
      },
    ],
  })
})

// Protocol §6.5: to decide, no lane is asked for but those that more than half of the weight that
// attests has the bit of. §6.4: a bucket that serves nothing is named, and nobody waits for it.
describe('withheld-blocks', () => {
  const HALF: LanePlan = {
    alter: (samples) => samples.slice(1),
    header: { height: 1, prev: 'ab'.repeat(32) },
  }
  /** The liar seals a lane, and alone attests it; this block of it is served, or none. */
  async function withheld(subnet: OneLiar, plan: LanePlan = {}, isServed = false) {
    const state = await subnet.state
    const block = await subnet.lane(subnet.liar, state, plan)
    if (isServed) subnet.put(block)
    await subnet.seal(subnet.liar, state, block.hash)
    await subnet.beHonest()
    await subnet.lie(hotkeys(subnet.voters))
    return block
  }

  itIsFoundOut({
    'it serves nothing': [
      liar('MISSING_BLOCK', 'COPY_MISSING'),
      async (subnet) => void (await withheld(subnet)),
    ],
    'it serves one block': [
      liar('MISSING_BLOCK', 'COPY_MISSING'),
      async (subnet) => void (await withheld(subnet, HALF, true)),
    ],
  })

  it('to decide, nobody asks for it: not one read, and the same root', async () => {
    const [subnet, served] = [new OneLiar(), new OneLiar()]
    const { hash } = await withheld(subnet)
    await withheld(served, {}, true)
    const { root } = await subnet.outcome()
    expect(flawsOf(await subnet.recompute({ compare: false }))).toEqual([])
    const paths = subnet.buckets.reads.map(([, path]) => path)
    expect(paths).not.toContain(blockPath(hash))
    // Each of the three lanes that count, once.
    expect(paths).toHaveLength(subnet.honest.length)
    expect(await served.outcome()).toMatchObject({ flaws: [], root })
  })

  it('silent besides, its bucket is asked three times, for state, lane and copies, and no more', async () => {
    const subnet = new OneLiar()
    await withheld(subnet)
    const { root } = await subnet.outcome()
    subnet.buckets.at(subnet.liar.hotkey).behaviour = 'fails'
    const [epoch] = await subnet.recompute({ from: await subnet.state })
    expect(epoch && stateRoot(epoch.state)).toBe(root)
    expect(subnet.buckets.readsOf(subnet.liar.hotkey)).toHaveLength(3)
  })
})

// Protocol §6.6: a reader compares genesis, netuid, validator and epoch with what it knows, not
// with the proof. Here the liar seals the very block from elsewhere, so that the head fits it.
describe('proof-of-another-subnet', () => {
  type Elsewhere = (subnet: OneLiar) => Promise<Written>
  const saying =
    (header: NonNullable<LanePlan['header']>): Elsewhere =>
    async (subnet) =>
      subnet.lane(subnet.liar, await subnet.state, { header })
  /** Seals that block; what a proof of its first sample is held for, by what the chain says. */
  async function proved(subnet: OneLiar, blockOf: Elsewhere) {
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
    const proof: unknown = JSON.parse(JSON.stringify(sampleProof(read.value, 0)))
    return judgeSampleProof(proof, { head, scope, verify }).result
  }
  const of = (member: string, blockOf: Elsewhere) => {
    const refused = { ok: false, code: 'BAD_PROOF', detail: expect.stringContaining(member) }
    const lie: Lie = async (subnet) => expect(await proved(subnet, blockOf)).toEqual(refused)
    return [liar('WRONG_SCOPE'), lie] as const
  }

  itIsFoundOut({
    'another genesis': of('genesis: expected ', saying({ genesis: '9f'.repeat(32) })),
    'another netuid': of('netuid: expected ', saying({ netuid: 121 })),
    'another epoch': of('epoch: expected ', saying({ epoch: 3 })),
    'another validator': of('validator: expected ', async (subnet) =>
      subnet.lane(subnet.honest[0], await subnet.state),
    ),
  })

  it('a proof of what was sealed here holds', async () => {
    const subnet = new OneLiar()
    expect(await proved(subnet, saying({}))).toMatchObject({ ok: true })
    expect((await subnet.outcome()).flaws).toEqual([])
  })
})

// Protocol §5.2: to sign twice for one epoch and height is its signer's fault, not that of whoever
// mirrors either.
describe('header-signed-twice', () => {
  /** All seal and attest, but some buckets have another copy of the liar's block. */
  async function mirroring(copyOf: (subnet: OneLiar, sealed: Written) => Promise<Uint8Array>) {
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
  /** The hex digit at this place of a signature is another one. */
  const altered = (place: number, { bytes }: Written): Uint8Array => {
    const at = Buffer.from(bytes).indexOf('"signature":"') + '"signature":"'.length + place
    const digit = Number.parseInt(String.fromCharCode(bytes[at] ?? 0), 16)
    return bytes.map((byte, i) => (i === at ? (digit ^ 8).toString(16).charCodeAt(0) : byte))
  }

  let root: string
  beforeAll(async () => {
    const { outcome } = await mirroring(async (_, { bytes }) => bytes)
    expect(outcome.flaws).toEqual([])
    root = outcome.root
  })

  it.each<
    readonly [string, (subnet: OneLiar) => readonly string[], Parameters<typeof mirroring>[0]]
  >([
    [
      'with two contents: its signer is named, once',
      twice,
      async (subnet) =>
        (await subnet.lane(subnet.liar, await subnet.state, { header: { time: 1 } })).bytes,
    ],
    [
      'with two signatures: the same',
      twice,
      async (subnet) => {
        const again = accountOf(subnet.voters.length, 1)
        expect(again.hotkey).toBe(subnet.liar.hotkey)
        return (await subnet.lane(again, await subnet.state)).bytes
      },
    ],
    ...[0, 63, 64, 126, 127].map(
      (place) =>
        [
          `altered by mirrors at digit ${place} of the signature: they are named`,
          byMirrors,
          async (_: OneLiar, sealed: Written) => altered(place, sealed),
        ] as const,
    ),
  ])('a copy %s, and nothing else changes', async (_, named, copyOf) => {
    const { subnet, outcome } = await mirroring(copyOf)
    expect(outcome.flaws).toEqual(named(subnet))
    expect(outcome.accepted).toEqual(new Set(hotkeys(subnet.voters)))
    expect(outcome.root).toBe(root)
  })
})
