import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { LocalChain } from '@affine/chain'
import { LOSSES_SHOWN } from '@affine/report'
import { LOCAL_NETWORK, recompute } from '@affine/settlement'
import { beforeAll, describe, expect, it } from 'vitest'
import { latestAnalyses, listDuels } from '../src/app-state.ts'
import { type EpochAccount, EpochAccounts, type SampleLine } from '../src/worker/epoch-accounts.ts'
import { collectEvidence, type ProvenLane } from '../src/worker/evidence.ts'
import { flipPart, PARTS, type Part } from '../src/worker/flip.ts'
import { proveSample } from '../src/worker/proof-steps.ts'
import { HostileSubnet } from './hostile-subnet.ts'

const accounts = new EpochAccounts()
const epochs: EpochAccount[] = []
/** A game of the only valid lane, and a product that the second contender knew. */
let game: SampleLine
let product: SampleLine
let lane: ProvenLane

beforeAll(async () => {
  const out = await mkdtemp(join(tmpdir(), 'evidence-'))
  const { sound } = await new HostileSubnet(out).write()
  game = { block: sound, line: 0 }
  const chain = LocalChain.import(await readFile(join(out, 'chain.json'), 'utf8'))
  const { read } = directoryBucket(join(out, 'buckets', 'sound'))
  const source = { name: 'sound', read }
  const settling = recompute({
    chain,
    network: LOCAL_NETWORK,
    openBucket: (_, url) => (url === 'sound' ? source : null),
    onSample: accounts.add.bind(accounts),
  })
  for await (const settled of settling) {
    epochs.push(accounts.finish(settled))
    const [validator, checked] = [...settled.lanes].find(([, { ok }]) => ok) ?? []
    if (validator === undefined || checked === undefined) continue
    lane = { chain, state: settled.before, validator, checked, sources: [source] }
  }
  const lost = accounts.findLosses(listDuels({ epochs }).at(-1)?.duel.id ?? '').champion
  product = lost.find(({ env }) => env.startsWith('mult8')) ?? game
  return () => rm(out, { recursive: true })
})

it('counts the results of both miners in the lanes that count', () => {
  const duels = listDuels({ epochs })
  expect(duels.length).toBe(2)
  for (const account of duels) {
    const looks = latestAnalyses(account).map(({ analysis }) => analysis)
    const sum = (of: (look: (typeof looks)[number]) => number): number =>
      looks.reduce((so, look) => so + of(look), 0)
    const { champion, contender } = account.duel.stats
    expect([contender.won, contender.lost]).toEqual([sum(({ wins }) => wins), 0])
    expect([champion.won, champion.lost]).toEqual([0, contender.won])
    expect(champion.challenges).toBe(sum(({ wins, ties }) => wins + ties))
    const lost = accounts.findLosses(account.duel.id)
    expect(lost.contender).toEqual([])
    expect(lost.champion.length).toBe(sum(({ wins }) => Math.min(LOSSES_SHOWN, wins)))
    for (const { block, forfeit } of lost.champion)
      expect([block, forfeit]).toEqual([game.block, 'unreadable'])
  }
})

describe('a proof', () => {
  const flipped = async (part: Part, line = game) =>
    flipPart(await collectEvidence(line, lane), part)
  const stepsWith = async (part: Part, line?: SampleLine) => proveSample(await flipped(part, line))
  it.each(PARTS)('stays hex with %s flipped', async (part) => {
    const hex = { secret: 'f0', beacon: 'f0', path: ['f0'], signature: 'f0', sealed: 'f0' }
    const { secret, beacon, path, signature, sealed } = flipPart(
      { ...(await flipped('nothing')), ...hex },
      part,
    )
    for (const text of [secret, beacon, ...path, signature, sealed]) expect(text).toMatch(/^f[01]$/)
  })
  it('is valid in every step, from the secret to the seal', async () => {
    const both = [await stepsWith('nothing', product), await stepsWith('nothing')]
    expect(both.flat().filter(({ holds }) => !holds)).toEqual([])
    expect(both.map(({ length }) => length)).toEqual([11, 12])
  })

  it('changes a byte even if a reply or the Merkle path is empty', async () => {
    const evidence = await flipped('nothing', product)
    const said = JSON.parse(evidence.sample)
    const messages = said.messages.map((each: { role: string }) =>
      each.role === 'assistant' ? { ...each, content: '' } : each,
    )
    const empty = { ...evidence, path: [], sample: JSON.stringify({ ...said, messages }) }
    expect(flipPart(empty, 'a reply').sample).not.toBe(empty.sample)
    expect(flipPart(empty, 'the Merkle path').path).not.toEqual([])
  })

  it.each([
    ['a reply', ['Replies of the miner → reward', 'Line → Merkle root']],
    ['the secret', ['Secret → commitment', 'Secret and beacon → challenge id']],
    ['the beacon', ['Secret and beacon → challenge id']],
    ['the Merkle path', ['Line → Merkle root']],
    ['the header', ['Head → seal on chain', 'Signature']],
    ['the signature', ['Signature']],
    ['the head on chain', ['Head → seal on chain']],
  ] as const)('fails with a byte of %s flipped', async (part, broken) => {
    const steps = await stepsWith(part, product)
    const failing = steps.filter(({ holds }) => !holds).map(({ title }) => title)
    expect(failing).toEqual(broken)
  })
})
