import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SampleProof, toLine } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { LocalChain } from '@affine/chain'
import { LOCAL_NETWORK, recompute } from '@affine/settlement'
import { beforeAll, describe, expect, it } from 'vitest'
import { latestAnalyses, listDuels } from '../src/app-state.ts'
import { createAnswers } from '../src/worker/answers.ts'
import { type EpochAccount, EpochAccounts, type SampleLine } from '../src/worker/epoch-accounts.ts'
import type { SubnetReader } from '../src/worker/reader.ts'
import { HostileSubnet } from './hostile-subnet.ts'

const accounts = new EpochAccounts()
const epochs: EpochAccount[] = []
/** A game of the only valid lane, and a multiplication that the second contender solved. */
let game: SampleLine
let product: SampleLine
let answers: ReturnType<typeof createAnswers>

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
    onSample: accounts.stats.add.bind(accounts.stats),
  })
  for await (const settled of settling) {
    epochs.push(accounts.finish(settled))
    const [validator, checked] = [...settled.lanes].find(([, { ok }]) => ok) ?? []
    if (validator === undefined || !checked?.ok) continue
    const { blocks } = checked.value
    const lane = { state: settled.before, validator, blocks, sources: [source] }
    const reader = { findLane: async () => lane, subnet: { chain, network: LOCAL_NETWORK } }
    answers = createAnswers(async () => reader as unknown as SubnetReader)
  }
  const lost = accounts.findDetails(listDuels({ epochs }).at(-1)?.duel.id ?? '').champion
  product = lost.find(({ env }) => env.startsWith('mult8')) ?? game
  return () => rm(out, { recursive: true })
})

it('counts the results of both miners in the lanes that count', () => {
  const duels = listDuels({ epochs })
  expect(duels.length).toBe(2)
  for (const account of duels) {
    const analyses = latestAnalyses(account)
    const sum = (of: (analysis: (typeof analyses)[number]) => number): number =>
      analyses.reduce((total, analysis) => total + of(analysis), 0)
    const { champion, contender } = account.duel.stats
    expect([contender.won, contender.lost]).toEqual([sum(({ wins }) => wins), 0])
    expect([champion.won, champion.lost]).toEqual([0, contender.won])
    expect(champion.challenges).toBe(sum(({ wins, ties }) => wins + ties))
    const lost = accounts.findDetails(account.duel.id)
    expect(lost.contender).toEqual([])
    expect(lost.champion.length).toBe(sum(({ wins }) => Math.min(3, wins)))
    for (const { block, forfeit } of lost.champion)
      expect([block, forfeit]).toEqual([game.block, 'unreadable'])
  }
})

/** Changes the first decimal digit of a hex text. */
const alter = (hex: string): string => hex.replace(/\d/, (digit) => `${Number(digit) ^ 1}`)

describe('a proof', () => {
  it('is valid in every step, up to the seal', async () => {
    for (const line of [product, game]) {
      const { steps } = await answers.proof(line)
      expect(steps.filter(({ holds }) => !holds)).toEqual([])
      expect(steps.length).toBe(7)
    }
  })

  it.each<[string, (proof: SampleProof) => Partial<SampleProof>, readonly string[]]>([
    [
      'a reply',
      ({ sample }) => ({ sample: sample.replace(/\d(?=","role":"assistant")/, 'x') }),
      ['Line → Merkle root'],
    ],
    [
      'the Merkle path',
      ({ path: [first = '', ...rest] }) => ({ path: [alter(first), ...rest] }),
      ['Line → Merkle root'],
    ],
    [
      'the header',
      ({ header }) => ({ header: header.replace(/(?<="time":)\d/, (time) => `${+time ^ 1}`) }),
      ['Head → seal on chain', 'Signature'],
    ],
    ['the signature', ({ signature }) => ({ signature: alter(signature) }), ['Signature']],
  ])('fails with a byte of %s changed', async (_, change, broken) => {
    const proof = JSON.parse((await answers.proof(product)).file)
    const changed = toLine({ ...proof, ...change(proof) })
    const { steps, line } = await answers.proofFile(new File([changed], 'proof.json'))
    expect(steps.filter(({ holds }) => !holds).map(({ title }) => title)).toEqual(broken)
    if (broken.length === 1) expect(line).toEqual({ block: product.block, line: product.line })
  })
})
