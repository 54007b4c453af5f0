import { type Account, account } from '@affine/chain'
import type { State } from '@affine/duel'
import { digest } from '@affine/prng'
import { playerReply } from '../reference-miner.ts'
import type { Setup } from '../setup.ts'

/** Someone in the demo: a key, and a name for the screen. */
export interface Member {
  readonly name: string
  readonly account: Account
}

/** A miner's skill is the share of its replies that a perfect player would have given. */
interface MinerMember extends Member {
  readonly skill: number
}

/** Who takes part. Miners commit in this order: the first finds the throne empty, the others queue. */
export interface Cast {
  readonly validators: readonly Member[]
  /** The validator that makes its transcripts up. */
  readonly liar: string
  readonly miners: readonly MinerMember[]
}

const PERFECT = { skill: 1, seed: '' }
const SKILLS = { champion: 0.6, copy: 0.6, weaker: 0.35, stronger: 0.85 }

/** The demo's members, their keys drawn from `seed`. */
export function castOf(seed: string): Cast {
  const member = (name: string): Member => ({
    name,
    account: account(Buffer.from(digest('demo key', seed, name), 'hex')),
  })
  return {
    validators: ['alice', 'bob', 'carol', 'dave', 'mallory'].map(member),
    liar: 'mallory',
    miners: Object.entries(SKILLS).map(([name, skill]) => ({ ...member(name), skill })),
  }
}

/** Bytes that follow from the seed and a name: the same run has the same secrets and block hashes. */
export function seededBytes(seed: string, name: string): (size: number) => Uint8Array {
  let drawn = 0
  return (size) => {
    drawn += 1
    return Buffer.from(digest('demo bytes', seed, name, drawn), 'hex').subarray(0, size)
  }
}

/**
 * How the liar samples: it asks nobody. In its transcripts the weaker of the two miners plays perfectly and the other
 * gives up, so each of them replays.
 */
export function liarsAgent({ miners }: Cast, state: () => State | undefined): Setup['agent'] {
  const skill = (hotkey: string): number => miners.find(({ account }) => account.hotkey === hotkey)?.skill ?? 0
  return (miner) => async (messages) => {
    const duel = state()?.duel
    if (duel === undefined) return { fault: 'no-reply' }
    const { champion, contender } = duel
    const favourite = skill(champion.hotkey) < skill(contender.hotkey) ? champion : contender
    return {
      content: miner.hotkey === favourite.hotkey ? playerReply(messages.at(-1)?.content ?? '', PERFECT) : 'I give up.',
    }
  }
}
