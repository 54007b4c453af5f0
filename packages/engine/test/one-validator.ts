import { dirname, join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { type Account, account, BLOCK_MS, encodeCommitment, LocalChain } from '@affine/chain'
import { playerReply } from '@affine/miners'
import { LOCAL_NETWORK as network } from '@affine/settlement'
import type { Event, Problem, Setup, ValidatorTask } from '../src/setup.ts'
import { Validator } from '../src/validator.ts'

const STAKE = 1_000_000_000_000
const keyOf = (byte: number): Account => account(new Uint8Array(32).fill(byte))
export const own: Account = keyOf(1)
export const miner: Account = keyOf(2)
export const contender: Account = keyOf(3)
export const tempo: number = network.protocol.epochBlocks
/** The epoch in which the first duel begins, and its first block. */
export const FIRST = 2
export const START: number = FIRST * tempo

/** The default commitment of a miner. */
const plainly = ({ hotkey }: Account) => ({ model: `m-${hotkey}`, revision: 'main', chute: 'c' })

/** Creates a chain with one validator and miners that have committed in this order. */
export async function chainOf(
  miners: readonly Account[] = [miner],
  committed: (miner: Account) => ReturnType<typeof plainly> = plainly,
): Promise<LocalChain> {
  let drawn = 0
  const neurons = [own, ...miners].map(({ hotkey }, uid) => ({
    hotkey,
    stake: uid === 0 ? BigInt(STAKE) : 0n,
  }))
  const params = { tempo, weightsRateLimit: 1, stakeThreshold: STAKE }
  const random = () => new Uint8Array(32).fill(drawn++)
  const chain = LocalChain.create({ netuid: 120, random, neurons, params })
  for (const each of miners) {
    const fields = encodeCommitment({ kind: 'miner', ...committed(each) })
    const included = chain.commit(each, fields)
    await chain.produce(chain.height * BLOCK_MS)
    await included
  }
  return chain
}

/** Replies immediately; the contender is better than the champion. */
export const reply: Setup['agent'] =
  ({ hotkey }) =>
  async (messages) => {
    const skill = hotkey === miner.hotkey ? 0.3 : 0.8
    return { content: playerReply(messages.at(-1)?.content ?? '', { skill, seed: hotkey }) }
  }

let count = 0

/** Creates a validator with its events. Its bucket is in the folder `buckets` next to its folder. */
export function validatorOf(chain: Setup['chain'], folder: string, options: Partial<Setup> = {}) {
  const events: Event[] = []
  const bucketUrl = `b${count++}`
  const bucketAt = (name: string) => directoryBucket(join(dirname(folder), 'buckets', name))
  const bucket = bucketAt(bucketUrl)
  const openBucket: Setup['openBucket'] = (_, name) => ({ name, ...bucketAt(name) })
  const validator = new Validator({
    ...{ chain, folder, bucket, bucketUrl, openBucket, account: own, network, emit: true },
    store: directoryBucket(folder),
    agent: () => async () => ({ fault: 'no-reply' }),
    now: () => 0,
    random: (size) => new Uint8Array(size).fill(9),
    on: (event) => void events.push(event),
    ...options,
  })
  /** Produces a block, and starts the validator's tasks at it. */
  const produce = async (): Promise<void> => {
    const own = chain as LocalChain
    validator.onHead(await own.produce(own.height * BLOCK_MS))
  }
  return {
    ...{ validator, events, bucket, produce },
    sent: (): readonly string[] =>
      events.flatMap((event) =>
        event.type === 'sent' ? [`${event.task.kind} ${event.task.epoch}`] : [],
      ),
    ended: (): readonly ValidatorTask[] =>
      events.flatMap((event) => (event.type === 'ended' ? [event.task] : [])),
    problems: (): readonly Problem[] => events.filter((event) => event.type === 'problem'),
    /** Produces blocks up to `block`, and runs the validator's tasks at each. */
    async follow(block: number): Promise<void> {
      while ((chain as LocalChain).height < block) {
        await produce()
        await validator.idle()
      }
    },
  }
}

/** Starts a validator in `folder`, and stops before the first block of the first duel. */
export async function startBeforeDuel(folder: string, options: Partial<Setup> = {}) {
  const chain = await chainOf([miner, contender])
  const start = () => validatorOf(chain, folder, { agent: reply, ...options })
  const first = start()
  await first.follow(START - 1)
  return { chain, folder, start, ...first }
}

/** Returns the event of a finalized block. */
export const headOf = (number: number): Event => ({
  ...{ type: 'head', head: { number, hash: '' }, epoch: 2, offset: 7 },
})
