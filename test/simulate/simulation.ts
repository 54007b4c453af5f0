import { BLOCK_MS, LocalChain } from '../../packages/chain/src/index.ts'
import { LOCAL_NETWORK, locateBlock } from '../../packages/settlement/src/index.ts'
import { Checker } from './check.ts'
import { Clock } from './clock.ts'
import { bytesOf } from './draw.ts'
import type { Fault } from './faults.ts'
import { fieldsOf } from './miners.ts'
import { Network, troublesOf } from './network.ts'
import { Seat, type Subnet } from './seat.ts'
import type { World } from './world.ts'

const STAKE = 10_000_000_000n
/** Blocks between the end of an epoch and its check. */
const CHECKED_AT = 5

/** A running world. */
export interface RunningWorld {
  readonly chain: LocalChain
  readonly network: Network
  readonly seats: readonly Seat[]
}

/**
 * Runs a world with faults and then one epoch without. Stops at the first broken promise. Calls
 * `onBlock` after the time of every block. Resolves with the findings of the `Checker`, and the
 * hash of the last block as `end`, which is equal for two runs of one world.
 */
export async function simulate(
  world: World,
  faults: readonly Fault[],
  onBlock: (running: RunningWorld) => Promise<void> = async () => {},
) {
  const clock = new Clock()
  const chain = chainOf(world)
  const troubles = troublesOf(faults, () => chain.height)
  const network = new Network(world.validators.length, troubles)
  const rules = { ...LOCAL_NETWORK, protocol: world.protocol }
  const subnet: Subnet = { world, faults, rules, clock, chain, network, troubles }
  const seats: Seat[] = []
  const checker: Checker = new Checker(subnet, seats)
  for (const index of world.validators.keys()) seats.push(new Seat(index, subnet, checker.witness))
  const last = (world.epochs + 1) * world.protocol.epochBlocks + CHECKED_AT + 1
  while (chain.height < last && checker.violation === undefined && !checker.isBeyond) {
    await makeBlock(subnet, seats, checker)
    await onBlock({ chain, network, seats })
  }
  if (chain.height === last) checker.checkEnd(world.epochs + 1)
  for (const seat of seats) seat[Symbol.dispose]()
  const { violation, isBeyond, duels, frozen } = checker
  return { violation, isBeyond, duels, frozen, end: await chain.blockHash(chain.height) }
}

function chainOf({ seed, validators, stakes, miners, protocol }: World): LocalChain {
  let drawn = 0
  return LocalChain.create({
    netuid: 120,
    random: () => bytesOf(seed, 'entropy', drawn++),
    neurons: [
      ...validators.map(({ hotkey }, i) => ({ hotkey, stake: STAKE * BigInt(stakes[i] ?? 0) })),
      ...miners
        .filter(({ registered }) => registered === 0)
        .map(({ account: { hotkey } }) => ({ hotkey, stake: 0n })),
    ],
    params: { tempo: protocol.epochBlocks, weightsRateLimit: 1 },
  })
}

async function makeBlock(subnet: Subnet, seats: readonly Seat[], checker: Checker): Promise<void> {
  const { chain, clock, world, network } = subnet
  for (const player of world.miners) {
    if (player.registered === chain.height + 1) void chain.register(player.account)
    for (const move of player.moves)
      if (move.block === chain.height + 1)
        chain.commit(player.account, fieldsOf(player, move)).catch(() => undefined)
  }
  const head = await chain.produce(clock.now())
  const { epoch, offset } = locateBlock(head.number, world.protocol)
  if (offset === 0) {
    network.begin(epoch)
    for (const seat of seats) seat.begin(epoch)
  }
  for (const seat of seats) seat.follow(head)
  if (offset === CHECKED_AT && epoch > 0) await checker.epochEnded()
  await clock.run(clock.now() + BLOCK_MS)
}
