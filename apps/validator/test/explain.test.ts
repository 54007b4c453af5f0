import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChallengePair, createPairing } from '@affine/blocks'
import type { DuelFacts } from '@affine/report'
import { LOCAL_NETWORK } from '@affine/settlement'
import { beforeAll, describe, expect, it } from 'vitest'
import { leadIn } from '../../../packages/blocks/test/play-plan.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { LIAR } from '../src/commands/demo/participants.ts'
import { explain } from '../src/commands/explain.ts'
import { type CommandResult, cutBlocks, findUnprintable, runCommand } from './commands.ts'
import { type PlayedSubnet, playSubnetOnce, THREE_MINERS } from './played-subnet.ts'

/** The record of a lost challenge. */
interface Lost {
  readonly role: 'champion' | 'contender'
  readonly pair: ChallengePair
}

const marksIn = (prompt: string): number => prompt.match(/(?<= )[XO](?=[ \n])/g)?.length ?? 0

/**
 * Returns the texts that the losing side of a game of hex must see, from the last prompt and move
 * of the opponent; undefined if it lost by its own reply.
 */
function joinedTexts(
  game: ChallengePair,
  side: 'champion' | 'contender',
): readonly string[] | undefined {
  const rival = game[side === 'champion' ? 'contender' : 'champion']
  const [{ content: prompt = '' } = {}, { content: move = '' } = {}] = rival.messages.slice(-2)
  const [own] = game[side].messages.filter(({ role }) => role === 'user').slice(-1)
  if (marksIn(own?.content ?? '') > marksIn(prompt)) return undefined
  const [, mark = '', sides = ''] = /^Hex: you are (.) and joins? (.+), the opp/.exec(prompt) ?? []
  const [row, column] = [move.charCodeAt(0) - 64, 2 * Number(move.slice(1))]
  const board = prompt.split('\n\n')[1]?.split('\n') ?? []
  const last = board.map((line, at) =>
    at === row ? `${line.slice(0, column)}${mark}${line.slice(column + 1)}` : line,
  )
  return [`lost: ${mark} joined ${sides}`, ...last.map((line) => `  ${line}`)]
}

describe('af explain', () => {
  const root = testFolder('explain')
  let subnet: PlayedSubnet
  const hotkeyOf = (name: string): string => subnet.hotkeyOf(name)
  const fileOf = async (name: string, text: string): Promise<string> => {
    await writeFile(join(root, name), text)
    return join(root, name)
  }
  /** Earlier results, because each run reads the whole history. */
  const asked = new Map<string, Promise<CommandResult>>()
  function ask(file: string, hotkey: string, ...words: readonly string[]): Promise<CommandResult> {
    const all = ['--network', file, '--buckets', subnet.buckets, '--hotkey', hotkey, ...words]
    const key = all.join(' ')
    const answer = asked.get(key) ?? runCommand(explain, ...all)
    asked.set(key, answer)
    return answer
  }

  beforeAll(async () => {
    subnet = await playSubnetOnce(THREE_MINERS)
  })
  /** Returns the number of closed epochs. */
  const ended = (): number =>
    Math.floor(
      (subnet.chainExport.trimEnd().split('\n').length - 1) / LOCAL_NETWORK.protocol.epochBlocks,
    )
  const whole = (): string => subnet.chainFile

  it('prints each epoch of the duels of a loser and the winner, and their position', async () => {
    const loser = await ask(whole(), hotkeyOf('weaker'))
    expect([loser.error, findUnprintable(loser.stdout)]).toEqual([undefined, []])
    const winner = await ask(whole(), hotkeyOf('stronger'))
    const told = [loser, winner].map(({ stdout }) => subnet.named(stdout)).join('\n---\n\n')
    await expect(told).toMatchFileSnapshot('snapshots/explain.txt')
    const causesIn = async (name: string) => {
      const { records } = await ask(whole(), hotkeyOf(name), '--json')
      const duels = records.filter(({ type }) => type === 'epoch').map(({ duel }) => duel)
      return (duels as DuelFacts[]).map(({ analyses }) => analyses.map(({ cause }) => cause))
    }
    expect(await causesIn('weaker')).toEqual([expect.arrayContaining(['LINE'])])
    expect((await causesIn('stronger')).flat()).toContain('SCORE')
    const { records } = await ask(whole(), hotkeyOf('weaker'), '--json')
    expect(records[0]).toMatchObject({ type: 'duel', ending: 'lost', by: 'verdicts', wins: 0 })
    expect(records[0]?.cause).toMatch(/^(OUTPLAYED|WRONG)$/)
  })

  it('shows the last lost challenges of each environment, with the board or the product', async () => {
    const { stdout } = await ask(whole(), hotkeyOf('weaker'))
    const [, lost = ''] = stdout.split(/\n(?= {2}lost )(.*)/s)
    const [challenges = ''] = lost.split('\n\n')
    const title =
      /^ {2}lost (\w+@0\.1\.0)#\d+ in epoch \d+, challenge \w+: reward (\S+), the champion (\S+)$/
    const titles = challenges.split('\n').flatMap((line) => {
      const [, env, reward, champion] = title.exec(line) ?? []
      return env === undefined ? [] : [{ env, less: Number(champion) - Number(reward) }]
    })
    const envs = Object.keys(LOCAL_NETWORK.protocol.envs)
    expect(titles.map(({ env }) => env)).toEqual(envs.flatMap((env) => [env, env, env]))
    for (const { less } of titles) expect(less).toBeGreaterThan(0)
    expect(
      challenges.match(/^ {8}1 2 3\n {6}A( [.XO]){3}\n {6}B( [.XO]){3}\n {6}C( [.XO]){3}$/gm),
    ).toHaveLength(3)
    expect(challenges.match(/^ {4}(not solved: the product is|best was) \d+$/gm)).toHaveLength(3)
  })

  it('shows the winning connection to the player that lost a game', async () => {
    let joined = 0
    for (const name of ['weaker', 'veteran']) {
      const { records } = await ask(whole(), hotkeyOf(name), '--all', '--json')
      const { stdout, exitCode } = await ask(whole(), hotkeyOf(name), '--all')
      expect(exitCode).toBe(undefined)
      const lost = records.filter(({ type }) => type === 'lost') as unknown as readonly Lost[]
      for (const { role, pair } of lost.filter(({ pair }) => pair.env.startsWith('hex@'))) {
        const texts = joinedTexts(pair, role)
        if (texts === undefined) continue
        joined += 1
        const [, from = ''] = stdout.split(`#${pair.index}, challenge ${pair.challengeId}: `)
        const [told = ''] = from.split(/\n {2}lost |\n\n/)
        expect(told).toContain(texts.map((line) => `\n    ${line}`).join(''))
      }
    }
    expect(joined).toBeGreaterThan(5)
  })

  it('shows a pending duel, and with --last which epochs were not read', async () => {
    const contender = hotkeyOf('stronger')
    const [duel] = (await ask(whole(), contender, '--json')).records
    const { from, to } = duel as unknown as Record<'from' | 'to', number>
    expect(to).toBeGreaterThan(from)
    // The chain ends where the last epoch of the duel begins.
    const cut = cutBlocks(subnet.chainExport, to * LOCAL_NETWORK.protocol.epochBlocks)
    const file = await fileOf('going-on.json', cut)
    const going = (await ask(file, contender, '--json')).records
    expect(going[0]).toMatchObject({ type: 'duel', ending: 'open', needed: 3 })
    expect(going.at(-1)).toMatchObject({ type: 'now', hotkey: contender })
    const late = await ask(whole(), contender, '--last', String(ended() - to), '--json')
    expect(late.records[0]).toMatchObject({ ending: 'won', start: from, from: to, to })
  })

  it('shows a champion its duels from its side', async () => {
    const { records } = await ask(whole(), hotkeyOf('veteran'), '--json')
    expect(records[0]).toMatchObject({ type: 'seated', epoch: 0, hotkey: hotkeyOf('veteran') })
    const epochs = records.filter(({ type }) => type === 'epoch')
    expect(new Set(epochs.map(({ role }) => role))).toEqual(new Set(['champion']))
    const ends = epochs.map(({ duel }) => (duel as DuelFacts).end).filter(Boolean)
    expect(ends).toEqual(['verdicts', 'crowned'])
    const lost = records.filter(({ type }) => type === 'lost')
    const duels = records.filter(({ type }) => type === 'duel')
    expect(duels.map(({ ending }) => ending)).toEqual(['won', 'lost'])
    expect(lost.length).toBe(4 * 3 * duels.length)
    const pairs = lost.map(({ pair }) => pair as ChallengePair)
    expect(pairs.every((pair) => leadIn(pair) > 0)).toBe(true)
  })

  it('shows with --all exactly the challenges lost in valid lanes', async () => {
    const contender = hotkeyOf('stronger')
    const { records } = await ask(whole(), contender, '--all', '--json')
    const shown = records.filter(({ type }) => type === 'lost')
    // Computes the same from the evidence: all lanes count except the liar's where it was set aside.
    const lost: (readonly [validator: string, pair: ChallengePair])[] = []
    const pairOf = createPairing()
    const epochs = await subnet.epochs((sample, { validator }) => {
      const pair = pairOf(sample)
      if (pair?.contender.miner === contender && leadIn(pair) < 0) lost.push([validator, pair])
    })
    const duels = epochs.flatMap(({ report }) => report.duels)
    const its = duels.filter((duel) => duel.contender.hotkey === contender)
    // The last interim analysis of each environment.
    const looks = new Map(its.flatMap(({ envs }) => Object.entries(envs)))
    const aside = [...looks.values()].flatMap(({ setAside }) => setAside)
    expect(new Set(aside)).toEqual(new Set([hotkeyOf(LIAR)]))
    const want = lost
      .filter(([validator, { env }]) => !looks.get(env)?.setAside.includes(validator))
      .map(([validator, pair]) => `${validator} ${pair.env} ${pair.index} ${pair.challengeId}`)
    const got = shown.map(({ validator, pair }) => {
      const { env, index, challengeId } = pair as ChallengePair
      return `${validator} ${env} ${index} ${challengeId}`
    })
    expect(got.sort()).toEqual(want.sort())
    expect(got.length).toBeGreaterThan(20)
    const { stdout } = await ask(whole(), contender, '--all')
    expect(stdout.match(/^ {6}< /gm)?.length).toBeGreaterThan(2 * got.length)
  })

  it('finds a miner by its uid, and shows its queue position', async () => {
    const file = await fileOf('early.json', cutBlocks(subnet.chainExport, 12))
    const uid = subnet.cast.validators.length + 2
    const { records, stdout } = await ask(file, String(uid))
    expect(stdout).toMatch(
      /^5\w+ waits, at place 3 of 3: its turn begins in about 1 epoch; registration /m,
    )
    expect(stdout).toContain(hotkeyOf('stronger'))
    expect(records).toEqual([])
    const json = await ask(file, hotkeyOf('veteran'), '--json')
    expect(json.records).toMatchObject([{ type: 'now', hotkey: hotkeyOf('veteran'), place: 1 }])
    expect((await ask(file, hotkeyOf('alice'))).stdout).toContain(
      `${hotkeyOf('alice')} has no commitment\n`,
    )
  })

  it('reports an unknown hotkey as unregistered, escaped for the terminal', async () => {
    const { stdout, exitCode } = await ask(whole(), '\u001b[2Jnobody')
    expect([stdout.split('\n')[0], exitCode]).toEqual(['nobody is not registered', 1])
    expect((await ask(whole(), hotkeyOf('weaker'))).exitCode).toBe(undefined)
  })
})
