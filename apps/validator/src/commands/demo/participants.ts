import { type Account, account } from '@affine/chain'
import { digest } from '@affine/prng'

/**
 * A validator or a miner of the demo: a key, a name, and for a miner its skill, the share of its
 * perfect replies.
 */
export interface Member {
  readonly name: string
  readonly account: Account
  readonly skill?: number
}

/** All members. Miners commit in this order: the first becomes champion, the others queue. */
export interface Participants {
  readonly seed: string
  readonly validators: readonly Member[]
  readonly miners: readonly Member[]
}

/** The validator that invents its transcripts. */
export const LIAR = 'mallory'

const VALIDATORS = ['alice', 'bob', 'carol', 'dave', LIAR]
const SKILLS = { veteran: 0.6, copy: 0.6, weaker: 0.35, stronger: 0.95 }

/** Returns the members of the demo, with keys drawn from `seed`. */
export function createParticipants(seed: string): Participants {
  const member = (name: string): Member => ({
    name,
    account: account(digestBytes('demo key', seed, name)),
  })
  const miners = Object.entries(SKILLS).map(([name, skill]) => ({ ...member(name), skill }))
  return { seed, validators: VALIDATORS.map(member), miners }
}

/** Returns the members' names by hotkey. */
export function mapNames({ validators, miners }: Participants): Readonly<Record<string, string>> {
  const members = [...validators, ...miners]
  return Object.fromEntries(members.map(({ name, account }) => [account.hotkey, name]))
}

/** Returns a digest as 32 bytes. */
function digestBytes(...parts: Parameters<typeof digest>): Buffer {
  return Buffer.from(digest(...parts), 'hex')
}

/**
 * Returns a source of bytes that follow from the seed and a name, so that a run with the same seed
 * has the same secrets and block hashes. At most 32 bytes a call.
 */
export function createSeededBytes(seed: string, name: string): (size: number) => Uint8Array {
  let drawn = 0
  return (size) => {
    drawn += 1
    return digestBytes('demo bytes', seed, name, drawn).subarray(0, size)
  }
}
