import {
  type Chain,
  ChainError,
  type Head,
  type LocalChain,
} from '../../packages/chain/src/index.ts'
import type { Machine } from './machine.ts'
import type { Troubles } from './network.ts'

const CALL_MS = 300
const LATE_MS = 36_000

/** The chain as seen by one validator through its node. */
export interface ChainView extends Chain {
  /** Number of the last head that the node has announced. */
  seen: number
}

interface Node {
  readonly who: number
  readonly machine: Machine
  readonly troubles: Troubles
}

/** Returns the view of the validator `who`, whose node has these troubles. */
export function viewChain(chain: LocalChain, node: Node): ChainView {
  const { machine } = node
  const read = <T>(act: () => Promise<T>): Promise<T> =>
    machine.perform({ place: 'chain', ms: machine.jitter(CALL_MS), act })
  const readAt = <T>(block: number, act: () => Promise<T>): Promise<T> =>
    read(() => {
      if (block <= view.seen) return act()
      throw new ChainError('UnknownBlock', `no block ${block}, the head is ${view.seen}`)
    })
  const view: ChainView = {
    genesis: chain.genesis,
    netuid: chain.netuid,
    seen: 0,
    head: () =>
      read(async () => {
        const number = view.seen
        return { number, hash: await chain.blockHash(number) }
      }),
    blockHash: (number) => readAt(number, () => chain.blockHash(number)),
    time: (block) => readAt(block, () => chain.time(block)),
    snapshot: (block) => readAt(block, () => chain.snapshot(block)),
    weights: (block) => readAt(block, () => chain.weights(block)),
    commit: (...call) => send(node, () => chain.commit(...call)),
    setWeights: (...call) => send(node, () => chain.setWeights(...call)),
    heads: () => {
      throw new Error('heads are not available in simulations')
    },
  }
  return view
}

/** Sends a call through a node, which may be late, refuse the call, or never confirm it. */
function send({ who, machine, troubles }: Node, act: () => Promise<Head>): Promise<Head> {
  const lost = new ChainError('Unreachable', 'no answer')
  const isMute = troubles.has(who, 'node', 'mute')
  const isRefused = troubles.has(who, 'node', 'refuses')
  const lateMs = troubles.has(who, 'node', 'late') ? LATE_MS : 0
  return machine.perform({
    place: 'chain',
    ms: lateMs + machine.jitter(CALL_MS),
    act: () => {
      if (isRefused) throw lost
      if (!isMute) return act()
      act().catch(() => undefined)
      throw lost
    },
  })
}
