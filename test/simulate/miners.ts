import { setMaxListeners } from 'node:events'
import { encodeCommitment } from '../../packages/chain/src/index.ts'
import type { Miner, State } from '../../packages/duel/src/index.ts'
import type { Setup } from '../../packages/engine/src/setup.ts'
import { playerReply } from '../../packages/miners/src/index.ts'
import type { Machine } from './machine.ts'
import type { Move, Player, World } from './world.ts'

const REPLY_MS = 8000

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    setMaxListeners(0, signal)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Returns the commitment of a move. Its revision is the index of the move. */
export function fieldsOf({ account, moves }: Player, move: Move): readonly Uint8Array[] {
  const { hotkey } = account
  if (move.strength === null) return [new TextEncoder().encode('gone')]
  const revision = `r${moves.indexOf(move)}`
  return encodeCommitment({ kind: 'miner', model: `m-${hotkey}`, revision, chute: 'c' })
}

/** Returns the share of perfect replies of a model, 0 if it never replies. */
export function strengthOf({ miners }: World, { hotkey, revision }: Miner): number {
  const player = miners.find(({ account }) => account.hotkey === hotkey)
  return player?.moves[Number(revision.slice(1))]?.strength ?? 0
}

/** Returns an agent that plays miners for a validator on `machine`. */
export function honestAgent(world: World, machine: Machine): Setup['agent'] {
  return (miner, _, { signal }) =>
    async (messages, call) => {
      const end = call?.end ?? signal
      const skill = strengthOf(world, miner)
      const ms = skill === 0 ? Number.POSITIVE_INFINITY : machine.jitter(REPLY_MS)
      const replying = machine.perform({ place: 'miner', ms, act: () => undefined })
      await Promise.race([replying, aborted(end)])
      if (end.aborted) return { fault: 'no-reply' }
      const { hotkey, revision } = miner
      const content = playerReply(messages.at(-1)?.content ?? '', {
        skill,
        seed: hotkey + revision,
      })
      // Each call has a new id, so a sample played again is another sample.
      return { content, invocation: `call-${machine.nextId()}` }
    }
}

/** Returns an agent that invents samples: the weakest miner plays perfectly, the others give up. */
export function liarsAgent(world: World, stateOf: () => State | undefined): Setup['agent'] {
  return (miner) => async (messages) => {
    const { champion = miner, duels = [] } = stateOf() ?? {}
    const players = [...duels.map(({ contender }) => contender), champion]
    players.sort((a, b) => strengthOf(world, a) - strengthOf(world, b))
    if (miner.hotkey !== players[0]?.hotkey) return { content: 'I give up.' }
    return { content: playerReply(messages.at(-1)?.content ?? '', { skill: 1, seed: '' }) }
  }
}
