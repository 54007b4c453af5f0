import type { Snapshot } from '@affine/chain'
import { type Miner, minerOf } from '@affine/duel'
import type { Agent } from '@affine/envs'
import { commitmentsOf, openChain } from '@affine/settlement'
import { NODE_HOST } from '@affine/settlement/node'
import type { Listening } from '../service/listen.ts'
import { LOOPBACK, minerClient } from './miner-client.ts'
import { serveMiner } from './reference-miner.ts'

/** What `openPlayer` takes: a text, or a registered miner. */
export type Player = string | Miner

/** How a player is asked. */
interface Asking {
  readonly model: string
  readonly giveUpMs: number
  readonly signal: AbortSignal
}

/** Someone to play with, until it is disposed of. */
export type Opponent = Disposable & { readonly agent: (replyMs: number) => Agent }

/**
 * Opens a player over HTTP: `who` is a URL up to and including `/v1`, or a built-in player,
 * `perfect`, `random`, or a skill from 0 to 1, which is served from a server of its own with luck
 * from a seed. An endpoint that is out of reach for `giveUpMs` forfeits; an agent rejects when
 * `signal` aborts. A registered miner is asked where it committed to, and for its own model.
 * @throws RangeError for what is no player; Error when nothing answers at a URL.
 */
export async function openPlayer(who: Player, seed: string, asking: Asking): Promise<Opponent> {
  if (typeof who !== 'string') return openPlayer(who.chute, seed, { ...asking, model: who.model })
  const { model, giveUpMs, signal } = asking
  const server = await serveBuiltIn(who, seed)
  const url = server?.url ?? endpointOf(who)
  await reach(url)
  const client = minerClient({ chute: url, model }, Number.POSITIVE_INFINITY, Date.now)
  return {
    agent: (replyMs) => async (messages) => {
      const giveUp = AbortSignal.any([signal, AbortSignal.timeout(giveUpMs)])
      const reply = await client(replyMs, giveUp)(messages)
      signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
      return reply
    },
    [Symbol.dispose]: () => server?.[Symbol.dispose](),
  }
}

/** The server of a built-in player; undefined for what names none. */
async function serveBuiltIn(who: string, seed: string): Promise<Listening | undefined> {
  const skill = skillOf(who)
  if (skill === undefined) return undefined
  return serveMiner({ skill, seed }, 0)
}

/** The skill of a built-in player, 0 to 1; undefined for what names none. */
function skillOf(who: string): number | undefined {
  if (who === 'perfect') return 1
  if (who === 'random') return 0
  const skill = Number(who)
  if (who !== '' && skill >= 0 && skill <= 1) return skill
  return undefined
}

function endpointOf(who: string): string {
  if (isWebUrl(who)) return who
  const players = 'a URL, perfect, random, or a skill from 0 to 1'
  throw new RangeError(`expected a player: ${players}; got "${who}"`)
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}

/** Resolves when something answers at a URL, whatever it says: no redirect is followed. */
async function reach(url: string): Promise<void> {
  try {
    const signal = AbortSignal.timeout(10_000)
    const asked = { method: 'HEAD', redirect: 'manual', signal } as const
    const { body } = await NODE_HOST.fetch(url, asked)
    await body?.cancel()
  } catch (error) {
    const { cause, message } = error as Error
    const why = (cause as Error | undefined)?.message ?? message
    throw new Error(`nothing answers at ${url}: ${why}`)
  }
}

type Pair<Value> = readonly [champion: Value, contender: Value]

/**
 * Whom two uids name at a chain's head. A miner is asked as validators ask it: on loopback, where
 * its network is a local one, and nowhere else that it wrote. Protocol §5.4.
 * @throws RangeError for what is no uid, and for a network with a platform; Error for who cannot be
 *   asked.
 */
export async function minersOf(
  network: string,
  netuid: number | undefined,
  [champion, contender]: Pair<string>,
): Promise<Pair<Miner>> {
  await using opened = await openChain(network, NODE_HOST, { netuid, firstEpoch: 0 })
  if (opened.network.platform !== 'loopback')
    throw new RangeError(`"--network" expected a local one, got ${JSON.stringify(network)}`)
  const { number } = await opened.chain.head()
  const snapshot = await opened.chain.snapshot(number)
  return [minerAt(champion, snapshot), minerAt(contender, snapshot)]
}

function minerAt(uid: string, snapshot: Snapshot): Miner {
  if (!/^\d{1,5}$/.test(uid))
    throw new RangeError(`with "--network" expected a uid, got ${JSON.stringify(uid)}`)
  const neuron = snapshot.neurons.find((each) => each.uid === Number(uid))
  const hotkey = neuron?.hotkey ?? 'not registered'
  const said = commitmentsOf(snapshot).get(hotkey)
  if (said?.kind !== 'miner') throw new Error(`uid ${uid} (${hotkey}) is no miner: see af queue`)
  if (LOOPBACK.test(said.chute)) return minerOf({ ...said, hotkey })
  const advice = 'only URLs on this machine are asked'
  throw new Error(`uid ${uid} has the chute "${said.chute}", and ${advice}`)
}
