import {
  blockPath,
  NO_BLOCK,
  type Sample,
  type SampleProof,
  toLine,
  writeBlock,
} from '@affine/blocks'
import { type Account, account } from '@affine/chain'
import type { State } from '@affine/duel'
import { encodeId } from '@affine/envs'
import { recompute } from '@affine/settlement'
import { beforeAll, describe, expect, it } from 'vitest'
import { latestAnalyses, listDuels } from '../src/app-state.ts'
import { createAnswers } from '../src/worker/answers.ts'
import { type EpochAccount, EpochAccounts, type SampleLine } from '../src/worker/epoch-accounts.ts'
import type { SubnetReader } from '../src/worker/reader.ts'
import { playHostileSubnet } from './hostile-subnet.ts'

const [validator, champion, first, second] = [1, 2, 3, 4].map((seed) =>
  account(new Uint8Array(32).fill(seed)),
) as [Account, Account, Account, Account]

/** Returns a sample of a miner that never replied. */
const sampleOf = (index: number, { hotkey: miner }: Account): Sample => ({
  ...{ env: 'mult8@0.1.0', index, challengeId: encodeId(`${index}`.repeat(64)), miner },
  ...{ messages: [], reward: 0, fault: 'no-reply', ms: 0 },
})
/** The second challenge continues in the second block. */
const shares = [
  [sampleOf(1, champion), sampleOf(1, first), sampleOf(2, champion)],
  [sampleOf(2, first), sampleOf(2, second), sampleOf(3, champion), sampleOf(3, first)],
]

it('returns all samples of a challenge that spans two blocks', async () => {
  const files = new Map<string, Uint8Array>()
  const hashes: string[] = []
  for (const [height, samples] of shares.entries()) {
    const place = { genesis: '0'.repeat(64), netuid: 1, validator: validator.hotkey, epoch: 3 }
    const draft = { ...place, height, prev: hashes.at(-1) ?? NO_BLOCK, time: 0, samples }
    const { hash, bytes } = await writeBlock({ ...draft, sign: validator.sign })
    files.set(blockPath(hash), bytes)
    hashes.push(hash)
  }
  const lane = {
    ...{ state: { epoch: 3 }, validator: validator.hotkey },
    blocks: [...hashes].reverse(),
    sources: [{ name: 'a', read: async (path: string) => files.get(path) ?? null }],
  }
  const urlOf = () => undefined
  const reader = { findLane: async () => lane, urlOf } as unknown as SubnetReader
  const { sample } = createAnswers(async () => reader)
  const contendersOf = async (block: number, line: number) => {
    const { pairs } = await sample({ block: hashes[block] ?? '', line })
    for (const pair of pairs) expect(pair.champion.miner).toBe(champion.hotkey)
    return pairs.map(({ index, contender }) => [index, contender.miner])
  }
  expect(await contendersOf(0, 0)).toEqual([[1, first.hotkey]])
  const both = [first, second].map(({ hotkey }) => [2, hotkey])
  expect(await contendersOf(0, 2)).toEqual(both)
  expect(await contendersOf(1, 1)).toEqual(both.slice(1))
  expect(await contendersOf(1, 3)).toEqual([[3, first.hotkey]])
  await expect(sample({ block: hashes[1] ?? '', line: 4 })).rejects.toThrow('has no line 4')
})

const accounts = new EpochAccounts()
const epochs: EpochAccount[] = []
/** A game of the only valid lane, and a multiplication that the second contender solved. */
let game: SampleLine
let product: SampleLine
let answers: ReturnType<typeof createAnswers>

beforeAll(async () => {
  const { subnet, validator, sound } = await playHostileSubnet()
  game = { block: sound, line: 0 }
  const { chain, buckets, network } = subnet
  const onSample = accounts.stats.add.bind(accounts.stats)
  let state: State | undefined
  for await (const settled of recompute({ chain, network, openBucket: buckets.open, onSample })) {
    epochs.push(accounts.finish(settled))
    state = settled.before
  }
  const { hotkey } = validator
  const sources = [buckets.open(hotkey, hotkey)]
  const lane = { state, validator: hotkey, blocks: [sound], sources }
  const reader = { findLane: async () => lane, subnet: { chain, network } }
  answers = createAnswers(async () => reader as unknown as SubnetReader)
  const lost = accounts.findDetails(listDuels({ epochs }).at(-1)?.duel.id ?? '').champion
  product = lost.find(({ env }) => env.startsWith('mult8')) ?? game
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
    expect(lost.champion.length).toBe(sum(({ wins }) => Math.min(2, wins)))
    for (const { block } of lost.champion) expect(block).toBe(game.block)
  }
})

/** Changes the first decimal digit of a hex text. */
const alter = (hex: string): string => hex.replace(/\d/, (digit) => `${Number(digit) ^ 1}`)

describe('a proof', () => {
  it('is valid in every step, up to the seal', async () => {
    for (const line of [product, game]) {
      const { steps } = await answers.proof(line)
      expect(steps.filter(({ fault }) => fault !== null)).toEqual([])
      expect(steps.length).toBe(7)
    }
  })

  it.each<[string, (proof: SampleProof) => Partial<SampleProof>, readonly string[]]>([
    [
      'a reply',
      ({ sample }) => ({ sample: sample.replace(/\d(?=","role":"assistant")/, 'x') }),
      ['inclusion'],
    ],
    [
      'the Merkle path',
      ({ path: [first = '', ...rest] }) => ({ path: [alter(first), ...rest] }),
      ['inclusion'],
    ],
    [
      'the header',
      ({ header }) => ({ header: header.replace(/(?<="time":)\d/, (time) => `${+time ^ 1}`) }),
      ['head', 'signature'],
    ],
    ['the signature', ({ signature }) => ({ signature: alter(signature) }), ['signature']],
  ])('fails with a byte of %s changed', async (_, change, broken) => {
    const proof = JSON.parse((await answers.proof(product)).file)
    const changed = toLine({ ...proof, ...change(proof) })
    const { steps, line } = await answers.proofFile(new File([changed], 'proof.json'))
    expect(steps.flatMap(({ code, fault }) => (fault ? [code] : []))).toEqual(broken)
    if (broken.length === 1) expect(line).toEqual({ block: product.block, line: product.line })
  })
})
