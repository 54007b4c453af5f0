import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  blockPath,
  challengeVerdict,
  commitmentOf,
  NO_BLOCK,
  type Sample,
  statePath,
  writeBlock,
} from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { type Account, account, type Commitment, encodeCommitment, LocalChain } from '@affine/chain'
import { encodeBitmap, encodeState, firstState, type State, stateRoot } from '@affine/duel'
import {
  type Agent,
  challengeId,
  type Env,
  make,
  type PerSide,
  play,
  playGame,
  type Transcript,
  unbegunGame,
} from '@affine/envs'
import {
  decideEpoch,
  laneScope,
  LOCAL_NETWORK as network,
  sealBlock,
  snapshotBlock,
} from '@affine/settlement'

/** What a page would act on, were it anything but text. */
export const MARKUP = '<img src=x onerror="globalThis.owned=1"><script>globalThis.owned=1</script>'
/** What no champion said. */
const FORGED = 'this is not what was said'
const HIDDEN = '\u202egnp.exe\u202c\u001b[31m'
const NETUID = 120
const STAKE = 1_000_000_000_000
const SECRET = '5e'.repeat(32)
const { protocol } = network
const [sound, evil, champion, contender] = [1, 2, 3, 4].map((seed) =>
  account(new Uint8Array(32).fill(seed)),
) as [Account, Account, Account, Account]

/** What it is made of. */
export interface Hostile {
  /** Of the lane that is void: the first line has 100 kB, and every reply of a champion is forged. */
  readonly forged: string
  /** Of the lane that is whole, which has the same challenges. */
  readonly sound: string
  /** The line of both with a game that was never begun. */
  readonly unbegun: number
  readonly challenge: string
  readonly champion: string
}

/** A subnet in `out`, signed and sealed as it has to be, whose every free text is hostile. */
export class HostileSubnet {
  readonly #chain: LocalChain
  readonly #out: string

  constructor(out: string) {
    this.#out = out
    this.#chain = LocalChain.create({
      netuid: NETUID,
      random: () => new Uint8Array(32).fill(7),
      neurons: [sound, evil, champion, contender].map(({ hotkey }, i) => ({
        hotkey,
        stake: i < 2 ? BigInt(STAKE) : 0n,
      })),
      params: { tempo: protocol.epochBlocks, stakeThreshold: STAKE },
    })
  }

  async write(): Promise<Hostile> {
    const bucket = directoryBucket(join(this.#out, 'buckets', 'sound'))
    for (const who of [champion, contender]) {
      const names = { revision: MARKUP.slice(0, 60), chute: `${HIDDEN}${MARKUP}`.slice(0, 60) }
      const model = `<b>${HIDDEN}${who.hotkey}`
      await this.#commit(who, { kind: 'miner', model, ...names })
    }
    const start = firstState(protocol, 0)
    for (const who of [sound, evil]) await this.#attest(who, start, [])
    await this.#produceTo(snapshotBlock(1, protocol) + 1)
    const find = () => Promise.reject(new Error('nobody was due'))
    const { state } = await decideEpoch({ chain: this.#chain, network }, start, find)
    const samples = await this.#sampled(state)
    const block = await this.#seal(sound, state, samples)
    const bad = await this.#seal(evil, state, samples.map(forge))
    for (const { hash, bytes } of [block, bad]) await bucket.write(blockPath(hash), bytes)
    await bucket.write(statePath(1), new TextEncoder().encode(encodeState(state)))
    await this.#produceTo(sealBlock(1, protocol))
    for (const who of [sound, evil]) await this.#attest(who, state, [sound.hotkey])
    await this.#produceTo(snapshotBlock(2, protocol) + 1)
    await writeFile(join(this.#out, 'chain.json'), this.#chain.export())
    const challenge = samples[0]?.challengeId ?? ''
    const unbegun = samples.findIndex((sample) => sample.champion.messages.length === 0)
    const lines = { forged: bad.hash, sound: block.hash, unbegun }
    return { ...lines, challenge, champion: champion.hotkey }
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
    const { epoch, duel } = state
    await this.#commit(who, {
      kind: 'attest',
      epoch,
      bitmap: encodeBitmap(duel ?? { weights: {} }, new Set(whole)),
      next: commitmentOf({ ...this.#placeOf(who, epoch + 1), secret: SECRET }),
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

  /** A lane of two miners that reply with markup; its last game of each kind is never begun. */
  async #sampled(state: State): Promise<readonly Sample[]> {
    const scope = await laneScope(this.#chain, state, sound.hotkey)
    if (scope === null) throw new Error('nobody is due')
    const samples: Sample[] = []
    for (const [name, quota] of Object.entries(scope.quota)) {
      const env = make(name)
      for (let index = 0; index < quota; index++) {
        const duel = scope.duel.id
        const specHash = scope.specHashes[name] ?? ''
        const id = challengeId({ ...scope, env: name, specHash, duel, secret: SECRET, index })
        const isLast = index === quota - 1
        const played = await (isLast && env.spec.game ? unbegunGame(env) : playedIn(env, id))
        const sides = {
          champion: { miner: champion.hotkey, ms: 0, ...played.champion },
          contender: { miner: contender.hotkey, ms: 0, ...played.contender },
        }
        const verdict = challengeVerdict(sides)
        samples.push({ env: name, duel, index, challengeId: id, ...sides, verdict })
      }
    }
    return samples
  }
}

/** A challenge that the champion answers with markup, and the contender perfectly. */
async function playedIn(env: Env, id: string): Promise<PerSide<Transcript>> {
  const loser: Agent = () => ({ content: `${MARKUP}${HIDDEN}` })
  const winner: Agent = (messages) => ({
    content: `${MARKUP}\n${env.spec.solve(messages.at(-1)?.content ?? '')}`,
  })
  if (env.spec.game !== undefined) return playGame(env, id, { champion: loser, contender: winner })
  return { champion: await play(env, id, loser), contender: await play(env, id, winner) }
}

/** With another conversation in the champion's place than the one that was paid. */
function forge(sample: Sample, i: number): Sample {
  const messages = [{ role: 'user' as const, content: i === 0 ? MARKUP.repeat(1500) : FORGED }]
  return { ...sample, champion: { ...sample.champion, messages }, verdict: 'tie' }
}
