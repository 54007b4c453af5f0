import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Sample } from '@affine/blocks'
import type { Account, Commitment } from '@affine/chain'
import type { State } from '@affine/duel'
import { make, unbegunGame } from '@affine/envs'
import { LOCAL_NETWORK, sealBlock } from '@affine/settlement'
import { ReadingSubnet, type Reply } from '../../../test/attacks/reading-subnet.ts'

/** Markup that a page would run unless it shows it as text. */
export const MARKUP = '<img src=x onerror="globalThis.owned=1"><script>globalThis.owned=1</script>'
/** A prompt that no environment gave. */
const FORGED = 'this is not what was said'
const HIDDEN = '\u202egnp.exe\u202c\u001b[31m'

/** A subnet whose miners, and the bucket of whose second validator, have hostile names. */
class HostileSubnet extends ReadingSubnet {
  override minerCommitment({ hotkey }: Account): Commitment {
    const names = { revision: MARKUP.slice(0, 60), chute: `${HIDDEN}${MARKUP}`.slice(0, 60) }
    return { kind: 'miner', model: `<b>${HIDDEN}${hotkey}`, ...names }
  }

  #urlOf = (who: Account): string => (who === this.voters[1] ? `javascript:${MARKUP}` : who.hotkey)

  override attest(who: Account, state: State, whole: readonly string[]): Promise<void> {
    return super.attest(who, state, whole, this.#urlOf(who))
  }

  override seal(who: Account, state: State, head: string): Promise<void> {
    return super.seal(who, state, head, this.#urlOf(who))
  }
}

/**
 * Plays a validly signed and sealed subnet of two duels, with hostile text everywhere. The bucket
 * of the first validator has all files. Returns the hashes of the valid lane's block and of the
 * other, void lane's, whose first line has over 100 kB and in which the champion's conversations
 * are forged; and the line of a game that was never begun, in both blocks.
 */
export async function playHostileSubnet() {
  const subnet = new HostileSubnet([1, 1], 1, LOCAL_NETWORK)
  const [validator, evil] = subnet.voters as [Account, Account]
  // The first miner that commits becomes champion.
  const [champion] = subnet.strangers as [Account]
  await subnet.commit(champion, subnet.minerCommitment(champion))
  const state = await subnet.begin()
  let unbegun = -1
  const alter = (samples: readonly Sample[]): readonly Sample[] => {
    const games = samples.filter((sample) => !('miner' in sample))
    unbegun = samples.indexOf(games.at(-1) as Sample)
    return samples.map((sample, i) => (i === unbegun ? unbegin(sample) : sample))
  }
  const forgeAll = (samples: readonly Sample[]) =>
    alter(samples).map((sample, i) => forge(sample, champion, i))
  const urls = [validator.hotkey]
  const { hash: sound } = await subnet.sealOne(validator, state, { reply, alter }, urls)
  const { hash: forged } = await subnet.sealOne(evil, state, { reply, alter: forgeAll }, urls)
  await subnet.produceTo(sealBlock(state.epoch, LOCAL_NETWORK.protocol))
  await subnet.attestAll(state, subnet.voters, urls)
  await subnet.end(state)
  return { subnet, validator, champion, sound, forged, unbegun }
}
export type Hostile = Awaited<ReturnType<typeof playHostileSubnet>>

/** Plays a hostile subnet, and writes its chain and buckets into `out`. */
export async function writeHostileSubnet(out: string): Promise<Hostile> {
  const hostile = await playHostileSubnet()
  const { chain, buckets } = hostile.subnet
  const files = buckets.files().map(([path, bytes]) => [join('buckets', path), bytes] as const)
  for (const [path, bytes] of [...files, ['chain.json', chain.export()] as const]) {
    await mkdir(dirname(join(out, path)), { recursive: true })
    await writeFile(join(out, path), bytes)
  }
  return hostile
}

/** Replies with markup; the contender also with the best answer. */
const reply: Reply = ({ role, env, prompt }) =>
  role === 'champion' ? `${MARKUP}${HIDDEN}` : `${MARKUP}\n${make(env).spec.solve(prompt)}`

/** Returns the sample of a game as if it was never begun. */
function unbegin(sample: Sample): Sample {
  if ('miner' in sample) return sample
  const { env, index, challengeId, champion, contender } = sample
  const none = unbegunGame(make(env))
  return {
    ...{ env, index, challengeId },
    champion: { miner: champion.miner, ms: 0, ...none.champion },
    contender: { miner: contender.miner, ms: 0, ...none.contender },
  }
}

/** Replaces the champion's conversation with a forged one. */
function forge(sample: Sample, { hotkey }: Account, i: number): Sample {
  const messages = [{ role: 'user' as const, content: i === 0 ? MARKUP.repeat(1500) : FORGED }]
  if ('miner' in sample) return sample.miner === hotkey ? { ...sample, messages } : sample
  return { ...sample, champion: { ...sample.champion, messages } }
}
