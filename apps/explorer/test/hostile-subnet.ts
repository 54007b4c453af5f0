import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  blockPath,
  hashCommitment,
  listEpisodes,
  NO_BLOCK,
  type Sample,
  statePath,
  writeBlock,
} from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { type Account, account, type Commitment, encodeCommitment, LocalChain } from '@affine/chain'
import { encodeBitmap, encodeState, firstState, type State, stateRoot } from '@affine/duel'
import { make, unbegunGame } from '@affine/envs'
import {
  decideEpoch,
  laneScope,
  LOCAL_NETWORK as network,
  sealBlock,
  snapshotBlock,
} from '@affine/settlement'
import { playPlan } from '../../../packages/blocks/test/play-plan.ts'

/** Markup that a page would run unless it shows it as text. */
export const MARKUP = '<img src=x onerror="globalThis.owned=1"><script>globalThis.owned=1</script>'
/** A prompt that no environment gave. */
const FORGED = 'this is not what was said'
const HIDDEN = '\u202egnp.exe\u202c\u001b[31m'
const NETUID = 120
const STAKE = 1_000_000_000_000
const SECRET = '5e'.repeat(32)
const { protocol } = network
const [sound, evil, champion, ...contenders] = [1, 2, 3, 4, 5].map((seed) =>
  account(new Uint8Array(32).fill(seed)),
) as [Account, Account, Account, Account, Account]

/** Parts of the hostile subnet. */
export interface Hostile {
  /**
   * Block of the void lane: its first line has over 100 kB, and the champion's conversations are
   * forged.
   */
  readonly forged: string
  /** Block of the valid lane, with the same challenges. */
  readonly sound: string
  /** Line of a game that was never begun, in both blocks. */
  readonly unbegun: number
  readonly challenge: string
  readonly champion: string
}

/** A validly signed and sealed subnet in `out`, with hostile text everywhere. */
export class HostileSubnet {
  readonly #chain: LocalChain
  readonly #out: string

  constructor(out: string) {
    this.#out = out
    this.#chain = LocalChain.create({
      netuid: NETUID,
      random: () => new Uint8Array(32).fill(7),
      neurons: [sound, evil, champion, ...contenders].map(({ hotkey }, i) => ({
        hotkey,
        stake: i < 2 ? BigInt(STAKE) : 0n,
      })),
      params: { tempo: protocol.epochBlocks, stakeThreshold: STAKE },
    })
  }

  async write(): Promise<Hostile> {
    const bucket = directoryBucket(join(this.#out, 'buckets', 'sound'))
    for (const who of [champion, ...contenders]) {
      const names = { revision: MARKUP.slice(0, 60), chute: `${HIDDEN}${MARKUP}`.slice(0, 60) }
      const model = `<b>${HIDDEN}${who.hotkey}`
      await this.#commit(who, { kind: 'miner', model, ...names })
    }
    const state = await this.#throughSilence()
    const samples = await this.#sampled(state)
    const block = await this.#seal(sound, state, samples)
    const bad = await this.#seal(evil, state, samples.map(forge))
    for (const { hash, bytes } of [block, bad]) await bucket.write(blockPath(hash), bytes)
    await bucket.write(statePath(state.epoch), new TextEncoder().encode(encodeState(state)))
    await this.#produceTo(sealBlock(state.epoch, protocol))
    for (const who of [sound, evil]) await this.#attest(who, state, [sound.hotkey])
    await this.#produceTo(snapshotBlock(state.epoch + 1, protocol) + 1)
    await writeFile(join(this.#out, 'chain.json'), this.#chain.export())
    const challenge = samples[0]?.challengeId ?? ''
    const unbegun = samples.findIndex((sample) => listEpisodes(sample)[0]?.messages.length === 0)
    const lines = { forged: bad.hash, sound: block.hash, unbegun }
    return { ...lines, challenge, champion: champion.hotkey }
  }

  /**
   * Decides the epochs before the first duel, in which no lane is due. Returns the state that
   * governs the duel's first epoch.
   */
  async #throughSilence(): Promise<State> {
    const find = () => Promise.reject(new Error('no lane was due'))
    let state = firstState(protocol, 0)
    while (state.duels.length === 0) {
      for (const who of [sound, evil]) await this.#attest(who, state, [])
      await this.#produceTo(snapshotBlock(state.epoch + 1, protocol) + 1)
      state = (await decideEpoch({ chain: this.#chain, network }, state, find)).state
    }
    return state
  }

  async #produceTo(block: number): Promise<void> {
    while (this.#chain.height < block) await this.#chain.produce(0)
  }

  async #commit(who: Account, commitment: Commitment): Promise<void> {
    const included = this.#chain.commit(who, encodeCommitment(commitment))
    await this.#chain.produce(0)
    await included
  }

  #placeOf(who: Account, epoch: number) {
    return { genesis: this.#chain.genesis, netuid: NETUID, validator: who.hotkey, epoch }
  }

  async #attest(who: Account, state: State, whole: readonly string[]): Promise<void> {
    const { epoch, voters } = state
    await this.#commit(who, {
      kind: 'attest',
      epoch,
      bitmap: encodeBitmap(voters, new Set(whole)),
      next: hashCommitment({ ...this.#placeOf(who, epoch + 1), secret: SECRET }),
      stateRoot: stateRoot(state),
      url: who === sound ? 'sound' : `javascript:${MARKUP}`,
    })
  }

  async #seal(who: Account, state: State, samples: readonly Sample[]) {
    const place = this.#placeOf(who, state.epoch)
    const draft = { ...place, height: 0, prev: NO_BLOCK, time: 0, secret: SECRET, samples }
    const block = await writeBlock({ ...draft, sign: who.sign })
    const url = who === sound ? 'sound' : `javascript:${MARKUP}`
    await this.#commit(who, { kind: 'seal', epoch: state.epoch, head: block.hash, url })
    return block
  }

  /**
   * Returns a lane of miners that reply with markup. The last game of each contender is never
   * begun.
   */
  async #sampled(state: State): Promise<readonly Sample[]> {
    const scope = await laneScope(this.#chain, state, sound.hotkey)
    if (scope === null) throw new Error('no lane is due')
    const samples = await playPlan(scope, SECRET, (miner, { env }) => (messages) => {
      if (miner === champion.hotkey) return { content: `${MARKUP}${HIDDEN}` }
      return { content: `${MARKUP}\n${make(env).spec.solve(messages.at(-1)?.content ?? '')}` }
    })
    return samples.map((sample) => {
      const { env, index } = sample
      if ('miner' in sample) return sample
      const { miner } = sample.contender
      if (index !== (scope.quotas[miner]?.[env] ?? 0) - 1) return sample
      const none = unbegunGame(make(env))
      const sides = {
        champion: { miner: champion.hotkey, ms: 0, ...none.champion },
        contender: { miner, ms: 0, ...none.contender },
      }
      return { env, index, challengeId: sample.challengeId, ...sides }
    })
  }
}

/** Replaces the champion's conversation with a forged one. */
function forge(sample: Sample, i: number): Sample {
  const messages = [{ role: 'user' as const, content: i === 0 ? MARKUP.repeat(1500) : FORGED }]
  if ('miner' in sample) return sample.miner === champion.hotkey ? { ...sample, messages } : sample
  return { ...sample, champion: { ...sample.champion, messages } }
}
