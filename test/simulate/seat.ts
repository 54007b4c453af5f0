import { directoryBucket } from '../../packages/blocks/src/directory-bucket.ts'
import type { Bucket } from '../../packages/blocks/src/index.ts'
import {
  type Account,
  type Chain,
  ChainError,
  type Head,
  type LocalChain,
} from '../../packages/chain/src/index.ts'
import type { Setup } from '../../packages/engine/src/setup.ts'
import { Validator } from '../../packages/engine/src/validator.ts'
import type { Network as Rules } from '../../packages/settlement/src/index.ts'
import type { Clock } from './clock.ts'
import { Disk, mount } from './disk.ts'
import { bytesOf, streamOf } from './draw.ts'
import type { Fault } from './faults.ts'
import { lyingChain } from './liars.ts'
import { Machine } from './machine.ts'
import { honestAgent, liarsAgent } from './miners.ts'
import type { Network, Troubles } from './network.ts'
import type { Witness } from './witness.ts'
import type { World } from './world.ts'

/** The parts shared by all validators of a subnet. */
export interface Subnet {
  readonly world: World
  readonly faults: readonly Fault[]
  readonly rules: Rules
  readonly clock: Clock
  readonly chain: LocalChain
  readonly network: Network
  readonly troubles: Troubles
}

const CALL_MS = 300
const LATE_MS = 36_000

/** The chain as seen by one validator through its node. */
interface ChainView extends Chain {
  /** Number of the last head that the node has announced. */
  seen: number
}

interface Node {
  readonly who: number
  readonly machine: Machine
  readonly troubles: Troubles
}

/** Returns the view of the validator `who`, whose node has these troubles. */
function viewChain(chain: LocalChain, node: Node): ChainView {
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

const HEAD_MS = 900

/** A validator's machine, disk and node. They outlive its process. */
export class Seat implements Disposable {
  readonly index: number
  readonly account: Account
  readonly isLiar: boolean
  readonly disk: Disk
  /** Whether its disk was ever lost. Then a secret committed on chain may be lost. */
  hasLostDisk = false
  readonly #subnet: Subnet
  readonly #witness: Witness
  readonly #machine: Machine
  readonly #view: ChainView
  readonly #mounted: Disposable
  /** Heads that its node has not announced yet. */
  readonly #held: Head[] = []
  #validator: Validator | undefined
  #downUntil = 0
  #drawn = 0

  constructor(index: number, subnet: Subnet, witness: Witness) {
    const { world, clock, chain, faults, troubles } = subnet
    const own = faults.filter(({ who }) => who === index)
    this.index = index
    this.account = world.validators[index]!
    this.isLiar = own.some(({ kind }) => kind === 'lies')
    this.#subnet = subnet
    this.#witness = witness
    const crashes = own.filter((fault) => fault.kind === 'crash')
    this.#machine = new Machine({
      clock,
      random: streamOf(world.seed, 'machine', index),
      deaths: crashes,
      onDeath: (death) => {
        const crash = crashes.find((each) => each === death)
        if (crash?.disk === 'cut') this.disk.cutPower()
        if (crash?.disk === 'lost') this.#loseDisk()
        this.#downUntil = clock.now() + (crash?.downMs ?? 0)
        clock.at(this.#downUntil, () => this.#startIfUp())
      },
    })
    this.disk = new Disk(
      `/simulated/${world.seed}-${index}`,
      this.#machine,
      own.filter((fault) => fault.kind === 'disk'),
    )
    this.#mounted = mount(this.disk)
    this.#view = viewChain(chain, { who: index, machine: this.#machine, troubles })
  }

  get validator(): Validator | undefined {
    return this.#validator
  }

  #loseDisk(): void {
    this.disk.replace()
    this.hasLostDisk = true
    this.#witness.forget(this)
  }

  begin(epoch: number): void {
    this.#machine.begin(epoch)
    this.disk.begin(epoch)
  }

  /** Gives its node a new head, which the node announces later. */
  follow(head: Head): void {
    const { clock, troubles } = this.#subnet
    this.#held.push(head)
    if (troubles.has(this.index, 'absent')) this.#machine.kill()
    clock.at(clock.now() + this.#machine.jitter(HEAD_MS), () => this.#deliver())
  }

  #deliver(): void {
    this.#startIfUp()
    if (this.#subnet.troubles.has(this.index, 'node', 'behind')) return
    for (const head of this.#held.splice(0)) {
      this.#view.seen = head.number
      if (this.#machine.isAlive) this.#validator?.onHead(head)
    }
  }

  #startIfUp(): void {
    const { clock, troubles } = this.#subnet
    const isUp = clock.now() >= this.#downUntil && !troubles.has(this.index, 'absent')
    if (this.#machine.isAlive || !isUp) return
    this.#machine.start()
    this.#validator = new Validator(this.#setup())
    const { seen } = this.#view
    if (seen === 0) return
    const validator = this.#validator
    void this.#subnet.chain.blockHash(seen).then((hash) => validator.onHead({ number: seen, hash }))
  }

  #setup(): Setup {
    const { world, rules, network, clock, troubles } = this.#subnet
    const { index, account, disk } = this
    const machine = this.#machine
    const lies = (how: Parameters<Troubles['lies']>[1]): boolean => troubles.lies(index, how)
    const liar = {
      lies,
      slip: (path: string, bytes: Uint8Array) => network.slip(index, path, bytes),
      peek: (path: string) => disk.peek(path),
      isLed: (epoch: number) => this.#witness.leadIn(epoch) > 0,
    }
    const chain = this.isLiar ? lyingChain({ chain: this.#view, account }, liar) : this.#view
    const agent = lies('makes samples up')
      ? liarsAgent(world, () => this.#validator?.state)
      : honestAgent(world, machine)
    return {
      chain,
      account,
      network: rules,
      emit: true,
      folder: disk.root,
      store: this.#store(),
      bucket: network.own(index, machine),
      bucketUrl: account.hotkey,
      openBucket: (hotkey, url) => {
        const owner = world.validators.findIndex((each) => each.hotkey === url)
        if (owner < 0) return null
        return { name: hotkey, ...network.source(index, owner, machine) }
      },
      agent,
      now: () => clock.now() + (world.skews[index] ?? 0),
      // No timer of a dead process fires.
      clock: {
        now: clock.now,
        after: (ms, wake) => clock.after(ms, machine.ofProcess(wake)),
      },
      random: (size) => bytesOf(world.seed, 'random', index, this.#drawn++).subarray(0, size),
      on: (event) => {
        if (machine.isAlive) this.#witness.hear(this, event)
      },
    }
  }

  #store(): Bucket {
    const store = directoryBucket(this.disk.root)
    const write: Bucket['write'] = (path, bytes) => {
      if (path.endsWith('.jsonl')) this.#witness.see(this, bytes)
      return store.write(path, bytes)
    }
    return { read: store.read, write }
  }

  [Symbol.dispose](): void {
    this.#machine.kill()
    this.#mounted[Symbol.dispose]()
  }
}
