import { describe, expect, it } from 'vitest'
import {
  blockPath,
  judgeSampleProof,
  proveSample,
  readBlock,
} from '../../packages/blocks/src/index.ts'
import { verify } from '../../packages/chain/src/index.ts'
import { stateRoot } from '../../packages/duel/src/index.ts'
import { LOCAL_NETWORK, laneScope, readSeals } from '../../packages/settlement/src/index.ts'
import { runVerifier } from '../in-process.ts'
import { testFolder } from '../test-folder.ts'
import { testLies } from './found-out.ts'
import {
  at,
  attestedByLiar,
  eachCopy,
  type Rows,
  RUBBISH,
  replaceBytes,
  SERVED,
  sealingShort,
  VALID,
  VOID,
} from './lies.ts'
import { attestedByAll, type Lie, liar, type Named, OneLiar } from './one-liar.ts'
import { accountOf, flawsOf, hotkeys, type LanePlan, type Written } from './reading-subnet.ts'
import { writeSubnet } from './write-subnet.ts'

/** Returns the rows with these names. */
const rowsOf = (rows: Rows, ...names: readonly string[]): Rows =>
  Object.fromEntries(
    names.map((name) => {
      const row = rows[name]
      if (row === undefined) throw new Error(`no row: ${name}`)
      return [name, row] as const
    }),
  )

// Protocol §5.2: an attestation has a bit for each lane that was sealed, is valid and is served.
// §8.3: a lane counts only if it was sealed, regardless of who attests it.
describe('attested-never-sealed', () => {
  const byLiar = 'the liar attests its lane, which it did not seal'
  testLies(rowsOf(SERVED, byLiar, 'all attest a lane that was not sealed'))

  const root = testFolder('never-sealed')
  it('makes af-verify exit with 1, with a flaw of each attester and the same root', async () => {
    const subnet = new OneLiar(LOCAL_NETWORK)
    await attestedByAll(subnet)
    const outcome = await subnet.outcome()
    const words = [root, '--network', await writeSubnet(subnet, root), '--json']
    const { code, stdout } = await runVerifier(words)
    expect(code).toBe(1)
    expect(stdout.match(/"code":"NEVER_SEALED"/g)).toHaveLength(subnet.voters.length)
    expect(stdout).toContain(`"root":"${outcome.root}"`)
  })
})

// Protocol §5.2: a validator that attests a lane serves it, at the address that it announces.
describe('attested-not-served', () => {
  /** Returns a lie: the liar attests the address `other`, with changed files of its bucket. */
  const filling = (change: (bytes: Uint8Array) => Uint8Array): Lie =>
    at('other', (subnet, state) => {
      subnet.publish(state)
      for (const [path, bytes] of subnet.buckets.at(subnet.liar.hotkey).files)
        subnet.buckets.at('other').files.set(path, change(bytes))
    })

  testLies({
    ...rowsOf(SERVED, 'an address that no one opens', 'an empty bucket'),
    'files at another address': [liar(), filling((bytes) => bytes)],
    'a silent bucket, each flaw once': [
      // Chance determines which blocks a reader requests from the liar's bucket after its failure.
      liar('COPY_MISSING', 'STATE_MISSING'),
      at('silent', ({ buckets }) => {
        buckets.at('silent').behaviour = 'fails'
      }),
    ],
    'a bucket with other bytes': [eachCopy('BAD_LINES', 'STATE_DIFFERS'), filling(() => RUBBISH)],
  })
})

// Protocol §6.2: every block except a lane's last is full. A lane of 1,024 blocks of one sample was
// once valid, and cost each reader 1,024 reads of up to 29 s each.
describe('blocks-of-one-sample', () => {
  testLies(rowsOf(VOID, 'blocks of one sample'))

  it('reads at most two of the four blocks', async () => {
    const subnet = new OneLiar()
    await sealingShort([0, 1, 2, 3])(subnet)
    expect((await subnet.outcome()).flaws).toHaveLength(1)
    const blocks = subnet.buckets.reads.filter(([, path]) => path.startsWith('v1/blocks'))
    const read = new Set(blocks.map(([, path]) => path))
    expect(read.size).toBeLessThanOrEqual(subnet.honest.length + 2)
  })
})

// Protocol §6.5: the last block reveals the secret committed before the beacon. A validator that
// withholds or changes it loses its own lane. No other lane depends on the secret.
describe('secret-withheld', () => {
  const other = ['another secret is revealed', 'another secret is played']
  testLies({
    ...rowsOf(VOID, 'the secret is withheld', ...other),
    ...rowsOf(VALID, 'a lane is not sealed'),
  })
})

// Protocol §6.5: a decision reads only lanes that more than half of the attesting weight attests.
// §6.4: a bucket that serves nothing is named, and no one waits for it.
describe('withheld-blocks', () => {
  const NOTHING = 'a sealed lane is not served'
  const [blamed, sealNothing] = SERVED[NOTHING] ?? []
  if (!blamed || !sealNothing) throw new Error(`no row: ${NOTHING}`)
  /** Lets the liar seal a lane that it serves, and that only it attests. */
  const sealServed =
    (plan: LanePlan): Lie =>
    async (subnet) => {
      await subnet.sealLie(plan)
      await attestedByLiar(subnet)
    }

  testLies({
    [NOTHING]: [blamed, sealNothing],
    'only the second of two blocks is served': [
      blamed,
      sealServed({
        alter: (samples) => samples.slice(1),
        header: { height: 1, prev: 'ab'.repeat(32) },
      }),
    ],
  })

  it('decides the same root without reading the withheld block', async () => {
    const [subnet, served] = [new OneLiar(), new OneLiar()]
    await sealNothing(subnet)
    await sealServed({})(served)
    const { root } = await subnet.outcome()
    expect(flawsOf(await subnet.recompute({ compare: false }))).toEqual([])
    // Only the three lanes that count are read, each once.
    const lanes = subnet.honest.map(async (owner) => subnet.lane(owner, await subnet.state))
    const paths = (await Promise.all(lanes)).map(({ hash }) => blockPath(hash))
    expect(subnet.buckets.reads.map(([, path]) => path).sort()).toEqual(paths.sort())
    expect(await served.outcome()).toMatchObject({ flaws: [], root })
  })

  it('reads the liar’s failing bucket three times: for a state, the lane and copies', async () => {
    const subnet = new OneLiar()
    await sealNothing(subnet)
    const { root } = await subnet.outcome()
    subnet.buckets.at(subnet.liar.hotkey).behaviour = 'fails'
    const [epoch] = await subnet.recompute({ from: await subnet.state })
    expect(epoch && stateRoot(epoch.state)).toBe(root)
    expect(subnet.buckets.readsOf(subnet.liar.hotkey)).toHaveLength(3)
  })
})

// Protocol §6.6: a reader compares the header's genesis, netuid, validator and epoch with its own
// values, not with the proof's. Here the liar seals a foreign block itself, so that the
// block's hash is the sealed head.
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
  type CopyOf = (subnet: OneLiar, sealed: Written) => Uint8Array | Promise<Uint8Array>
  /** Returns the bytes of the liar's lane, signed again with these header fields and this nonce. */
  const signAgain =
    (header: NonNullable<LanePlan['header']>, nonce: number): CopyOf =>
    async (subnet) => {
      const signer = accountOf(subnet.voters.length, nonce)
      return (await subnet.lane(signer, await subnet.state, { header })).bytes
    }
  const unchanged: CopyOf = (_, { bytes }) => bytes
  const alterSignature: CopyOf = (_, { bytes }) => replaceBytes(bytes, /(?<="signature":")../, 'ff')
  const byMirrors: Named = ({ honest }) =>
    hotkeys(honest.slice(1)).map((hotkey) => `WRONG_SIGNATURE ${hotkey}`)

  it('names the signer once, or each mirror that altered a signature, and decides the same', async () => {
    const roots = new Set<string>()
    for (const [named, copyOf] of [
      [liar(), unchanged],
      [liar('SIGNED_TWICE'), signAgain({ time: 1 }, 0)],
      [liar('SIGNED_TWICE'), signAgain({}, 1)],
      [byMirrors, alterSignature],
    ] as const) {
      const subnet = new OneLiar()
      const sealed = await subnet.sealLie({})
      await attestedByAll(subnet)
      const copy = await copyOf(subnet, sealed)
      for (const { hotkey } of subnet.honest.slice(1))
        subnet.buckets.at(hotkey).files.set(blockPath(sealed.hash), copy)
      const { flaws, accepted, root } = await subnet.outcome()
      expect(flaws).toEqual(named(subnet))
      expect(accepted).toEqual(new Set(hotkeys(subnet.voters)))
      roots.add(root)
    }
    expect(roots.size).toBe(1)
  })
})
