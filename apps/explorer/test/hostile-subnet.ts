import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type Sample, statePath } from '@affine/blocks'
import type { Account, Commitment } from '@affine/chain'
import { encodeState } from '@affine/duel'
import { make } from '@affine/envs'
import { LOCAL_NETWORK, sealBlock, snapshotBlock } from '@affine/settlement'
import { writeSubnet } from '../../../test/attacks/af-verify.ts'
import { unbegun } from '../../../test/attacks/game-forgeries.ts'
import { champion, type LanePlan, ReadingSubnet } from '../../../test/attacks/reading-subnet.ts'

/** What a page would act on, were it anything but text. */
export const MARKUP = '<img src=x onerror="globalThis.owned=1"><script>globalThis.owned=1</script>'
/** What no champion said. */
const FORGED = 'this is not what was said'
const HIDDEN = '\u202egnp.exe\u202c\u001b[31m'
const { protocol } = LOCAL_NETWORK

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
export class HostileSubnet extends ReadingSubnet {
  readonly #out: string

  constructor(out: string) {
    super([1, 1], 0, LOCAL_NETWORK)
    this.#out = out
  }

  protected override minerSays({ hotkey }: Account): Commitment {
    const names = { revision: MARKUP.slice(0, 60), chute: `${HIDDEN}${MARKUP}`.slice(0, 60) }
    return { kind: 'miner', model: `<b>${HIDDEN}${hotkey}`, ...names }
  }

  async write(): Promise<Hostile> {
    const [sound, evil] = this.voters as [Account, Account]
    const state = await this.begin()
    let samples: readonly Sample[] = []
    const alter: LanePlan['alter'] = (played) => {
      samples = played.map((sample, i) => (isLastGame(played, i) ? neverBegun(sample) : sample))
      return samples
    }
    const block = await this.lane(sound, state, { reply, alter })
    const bad = await this.lane(evil, state, { alter: () => samples.map(forge) })
    for (const each of [block, bad]) this.put(each, [sound.hotkey])
    const bytes = new TextEncoder().encode(encodeState(state))
    this.buckets.at(sound.hotkey).files.set(statePath(1), bytes)
    const url = `javascript:${MARKUP}`
    await this.seal(sound, state, block.hash)
    await this.seal(evil, state, bad.hash, url)
    await this.produceTo(sealBlock(1, protocol))
    await this.attest(sound, state, [sound.hotkey])
    await this.attest(evil, state, [sound.hotkey], url)
    await this.produceTo(snapshotBlock(2, protocol) + 1)
    const buckets = join(this.#out, 'buckets')
    await mkdir(buckets, { recursive: true })
    await rename(await writeSubnet(this, buckets), join(this.#out, 'chain.json'))
    const challenge = samples[0]?.challengeId ?? ''
    const line = samples.findIndex((sample) => sample.champion.messages.length === 0)
    const blocks = { forged: bad.hash, sound: block.hash }
    return { ...blocks, unbegun: line, challenge, champion: champion.hotkey }
  }
}

/** The champion answers with markup, and the contender perfectly. */
const reply: NonNullable<LanePlan['reply']> = ({ role, env, prompt }) =>
  role === 'champion' ? `${MARKUP}${HIDDEN}` : `${MARKUP}\n${make(env).spec.solve(prompt)}`

const isLastGame = (samples: readonly Sample[], i: number): boolean => {
  const { env = '' } = samples[i] ?? {}
  return make(env).spec.game !== undefined && samples[i + 1]?.env !== env
}

function neverBegun({ champion, contender, ...sample }: Sample): Sample {
  const sides = { champion: { ...champion, ...unbegun }, contender: { ...contender, ...unbegun } }
  return { ...sample, ...sides, verdict: 'tie' }
}

/** With another conversation in the champion's place than the one that was paid. */
function forge(sample: Sample, i: number): Sample {
  const messages = [{ role: 'user' as const, content: i === 0 ? MARKUP.repeat(1500) : FORGED }]
  return { ...sample, champion: { ...sample.champion, messages }, verdict: 'tie' }
}
