import { blockPath, readBlock, type Sample, writeBlock } from '../../packages/blocks/src/index.ts'
import {
  type Account,
  type Commitment,
  decodeCommitment,
  encodeCommitment,
  type Head,
  verify,
} from '../../packages/chain/src/index.ts'
import type { Setup } from '../../packages/engine/src/setup.ts'
import type { Lie } from './faults.ts'

type Seal = Extract<Commitment, { readonly kind: 'seal' }>

/** What a liar needs besides what every validator has. */
export interface Liar {
  readonly lies: (how: Lie) => boolean
  /** Puts a file into the liar's bucket, at once. */
  readonly slip: (path: string, bytes: Uint8Array) => void
  /** Reads a file of the liar's disk; null if there is none. */
  readonly peek: (path: string) => Uint8Array | null
  /** Has the contender won more of this epoch's challenges than it lost, in all honest lanes? */
  readonly isLed: (epoch: number) => boolean
}

/** A chain on which a liar commits something else than its validator wants to. */
export function lyingChain(setup: Pick<Setup, 'chain' | 'account'>, liar: Liar): Setup['chain'] {
  const { chain, account } = setup
  const commit: Setup['chain']['commit'] = async (_, fields, until) => {
    const said = decodeCommitment(fields, account.hotkey)
    if (said?.kind === 'attest' && isUnsuited(said, liar)) return chain.head()
    if (said?.kind === 'attest')
      return chain.commit(account, encodeCommitment(attested(said, liar)), until)
    if (said?.kind !== 'seal') return chain.commit(account, fields, until)
    return sealed({ chain, account, liar }, said, until)
  }
  return {
    genesis: chain.genesis,
    netuid: chain.netuid,
    heads: (signal) => chain.heads(signal),
    head: () => chain.head(),
    blockHash: (number) => chain.blockHash(number),
    time: (block) => chain.time(block),
    snapshot: (block) => chain.snapshot(block),
    weights: (block) => chain.weights(block),
    setWeights: (...call) => chain.setWeights(...call),
    commit,
  }
}

const isUnsuited = ({ epoch }: { readonly epoch: number }, { lies, isLed }: Liar): boolean =>
  lies('attests what suits it') && !isLed(epoch)

function attested(said: Commitment, { lies }: Liar): Commitment {
  if (said.kind !== 'attest') return said
  if (lies('attests another state')) return { ...said, stateRoot: '0'.repeat(64) }
  if (lies('attests all')) return { ...said, bitmap: new Uint8Array(16).fill(255) }
  if (lies('attests none')) return { ...said, bitmap: new Uint8Array(16) }
  return said
}

interface Sealing {
  readonly chain: Setup['chain']
  readonly account: Account
  readonly liar: Liar
}

async function sealed(sealing: Sealing, seal: Seal, until?: number): Promise<Head> {
  const { chain, account, liar } = sealing
  const send = (head: string, last = until): Promise<Head> =>
    chain.commit(account, encodeCommitment({ ...seal, head }), last)
  if (liar.lies('seals nothing')) return send('ab'.repeat(32))
  if (liar.lies('drops a sample')) return send(await rewritten(sealing, seal, dropOne))
  if (!liar.lies('seals twice')) return send(seal.head)
  const first = send(seal.head)
  const second = send(await rewritten(sealing, seal, laterBy(1)))
  const third = await rewritten(sealing, seal, laterBy(2))
  // This is too late for a seal, and it overwrites the liar's own attestation.
  void second.then(() => send(third, (until ?? 0) + 6)).catch(() => undefined)
  first.catch(() => undefined)
  return second
}

const dropOne = (samples: readonly Sample[]): readonly Sample[] => samples.slice(1)
const laterBy =
  (ms: number) =>
  (samples: readonly Sample[]): readonly Sample[] =>
    samples.map((sample) => {
      if ('miner' in sample) return { ...sample, ms: sample.ms + ms }
      return { ...sample, champion: { ...sample.champion, ms: sample.champion.ms + ms } }
    })

/**
 * Puts a changed copy of the sealed block into the liar's bucket, beside the block. Returns the
 * copy's hash.
 */
async function rewritten(
  { account, liar }: Sealing,
  { head }: Seal,
  change: (samples: readonly Sample[]) => readonly Sample[],
): Promise<string> {
  const bytes = liar.peek(blockPath(head))
  const block = bytes && readBlock(bytes, { hash: head, verify })
  if (!block?.ok) return head
  const { v: _, count: __, root: ___, ...header } = block.value.header
  const samples = change(block.value.samples)
  const other = await writeBlock({ ...header, samples, sign: account.sign })
  liar.slip(blockPath(other.hash), other.bytes)
  if (bytes) liar.slip(blockPath(head), bytes)
  return other.hash
}
