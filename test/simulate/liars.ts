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
type Attest = Extract<Commitment, { readonly kind: 'attest' }>

/** The functions that a liar needs in addition to a validator's setup. */
export interface Liar {
  readonly lies: (how: Lie) => boolean
  /** Writes a file into the liar's bucket immediately. */
  readonly slip: (path: string, bytes: Uint8Array) => void
  /** Returns a file of the liar's disk, or null if there is none. */
  readonly peek: (path: string) => Uint8Array | null
  /**
   * Reports whether contenders won more of an epoch's challenges than they lost, in all honest
   * lanes.
   */
  readonly isLed: (epoch: number) => boolean
}

/** Returns a chain that replaces the commitments of the liar's validator by lies. */
export function lyingChain(setup: Pick<Setup, 'chain' | 'account'>, liar: Liar): Setup['chain'] {
  const { chain, account } = setup
  const commit: Setup['chain']['commit'] = async (_, fields, until) => {
    const commitment = decodeCommitment(fields, account.hotkey)
    if (commitment?.kind === 'attest' && isUnsuited(commitment, liar)) return chain.head()
    if (commitment?.kind === 'attest')
      return chain.commit(account, encodeCommitment(falsify(commitment, liar)), until)
    if (commitment?.kind !== 'seal') return chain.commit(account, fields, until)
    return seal({ chain, account, liar }, commitment, until)
  }
  return { ...chain, commit }
}

const isUnsuited = ({ epoch }: { readonly epoch: number }, { lies, isLed }: Liar): boolean =>
  lies('attests what suits it') && !isLed(epoch)

function falsify(commitment: Attest, { lies }: Liar): Attest {
  if (lies('attests another state')) return { ...commitment, stateRoot: '0'.repeat(64) }
  if (lies('attests all')) return { ...commitment, bitmap: new Uint8Array(16).fill(255) }
  if (lies('attests none')) return { ...commitment, bitmap: new Uint8Array(16) }
  return commitment
}

interface Sealing {
  readonly chain: Setup['chain']
  readonly account: Account
  readonly liar: Liar
}

async function seal(sealing: Sealing, commitment: Seal, until?: number): Promise<Head> {
  const { chain, account, liar } = sealing
  const send = (head: string, last = until): Promise<Head> =>
    chain.commit(account, encodeCommitment({ ...commitment, head }), last)
  if (liar.lies('seals nothing')) return send('ab'.repeat(32))
  if (liar.lies('drops a sample')) return send(await rewriteBlock(sealing, commitment, dropOne))
  if (!liar.lies('seals twice')) return send(commitment.head)
  const first = send(commitment.head)
  const second = send(await rewriteBlock(sealing, commitment, laterBy(1)))
  const third = await rewriteBlock(sealing, commitment, laterBy(2))
  // The third seal is too late to count, and overwrites the liar's own attestation.
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
 * Writes the sealed block and a changed copy into the liar's bucket. Resolves with the copy's hash.
 */
async function rewriteBlock(
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
