import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChallengePair, pairing } from '@affine/blocks'
import type { DuelFacts } from '@affine/report'
import { LOCAL_NETWORK, type Recomputed } from '@affine/settlement'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leadIn } from '../../../packages/blocks/test/play-plan.ts'
import { killAll } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { LIAR } from '../src/commands/demo/cast.ts'
import { explain } from '../src/commands/explain.ts'
import { type Done, firstBlocks, inProcess, unprintable } from './commands.ts'
import { lostGameTexts } from './lost-games.ts'
import { type PlayedSubnet, playedSubnet, THREE_MINERS } from './played-subnet.ts'

type Which = Pick<DuelFacts, 'contender' | 'start'>

/** Is this record of an epoch about that duel? */
function isOf({ contender, start }: Which, { duel }: Readonly<Record<string, unknown>>): boolean {
  const told = duel as DuelFacts
  return told.contender.hotkey === contender.hotkey && told.start === start
}

/** The last look at each environment of a duel. */
const looksAt = (epochs: readonly Recomputed[], { contender, start }: Which) =>
  new Map(
    epochs
      .flatMap(({ report }) => report.duels)
      .filter((duel) => duel.contender.hotkey === contender.hotkey && duel.start === start)
      .flatMap(({ envs }) => Object.entries(envs)),
  )

/** What `--json` says of a lost challenge. */
interface Lost {
  readonly role: 'champion' | 'contender'
  readonly pair: ChallengePair
}

describe('af explain', () => {
  const root = testFolder('explain')
  let subnet: PlayedSubnet
  const hotkeyOf = (name: string): string => subnet.hotkeyOf(name)
  const fileOf = async (name: string, text: string): Promise<string> => {
    await writeFile(join(root, name), text)
    return join(root, name)
  }
  /** What was asked before: each answer reads the whole history. */
  const asked = new Map<string, Promise<Done>>()
  function ask(file: string, hotkey: string, ...words: readonly string[]): Promise<Done> {
    const all = ['--network', file, '--buckets', subnet.buckets, '--hotkey', hotkey, ...words]
    const key = all.join(' ')
    const answer = asked.get(key) ?? inProcess(explain, ...all)
    asked.set(key, answer)
    return answer
  }

  beforeAll(async () => {
    subnet = await playedSubnet(THREE_MINERS)
  })
  afterAll(killAll)
  /** How many epochs the chain has closed. */
  const ended = (): number =>
    Math.floor(
      (subnet.exported.trimEnd().split('\n').length - 1) / LOCAL_NETWORK.protocol.epochBlocks,
    )
  const whole = (): string => subnet.chainFile

  it('tells a loser and the winner each epoch of its duel, and where it stands', async () => {
    const loser = await ask(whole(), hotkeyOf('weaker'))
    expect([loser.error, unprintable(loser.stdout)]).toEqual([undefined, []])
    expect(loser.stdout).toMatch(
      /^It lost because it (was outplayed|gave no legal answer) in \d+ of \d+ challenges.*? It lost: the contender has won 0 of 4 environments, 3 needed\. It waits for another duel once it commits something else\. It won \d+, lost \d+ and tied \d+ of (\d+) challenges\. Its endpoint answered \2 of \2\. These of its answers were forfeits: .*\d+ illegal.*\.\n {2}contender, against 5\w{47}, epochs? \d+( to \d+)?\n {2}\w+@/,
    )
    expect(loser.stdout).toMatch(
      /held the throne\. The ratio to beat was 51 %\n {4}this miner contends, epoch 1 of at most 8\n/,
    )
    expect(loser.stdout).toMatch(
      /^ {4}mult8@0\.1\.0 +\d+ won, \d+ lost, \d+ tied → hold\n {6}for a hold: \S+ of \S+ won \[.*┃.*\] 0\.\d+…0\.\d+, (by the cap|a hold up to 0\.\d+)$/m,
    )
    expect(loser.stdout).toContain('  mult8@0.1.0: hold, because the contender is below')
    expect(loser.stdout).toMatch(/^ {2}\w+@0\.1\.0: no verdict$/m)
    // The liar is too far from the others in the winner's duel alone.
    expect(loser.stdout).not.toContain('set aside')
    expect(loser.stdout).toContain(
      `\n\n${hotkeyOf('weaker')} had its turn with this commitment: only a new one duels again\n`,
    )
    const winner = await ask(whole(), hotkeyOf('stronger'))
    expect(winner.stdout).toMatch(/✘ set aside in mult8@0\.1\.0/)
    expect(winner.stdout).toContain('★ this miner dethrones')
    expect(winner.stdout).toMatch(/It won: the contender has won [34] of 4 environments, 3 needed/)
    expect(winner.stdout).toContain(
      '  mult8@0.1.0: win, because the contender won more than it has to',
    )
    expect(winner.stdout).toContain(`\n\n${hotkeyOf('stronger')} is the champion\n`)
  })

  it('shows of each environment the last that were lost, with the board or the product', async () => {
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
    expect(challenges.match(/^ {4}(wrong: the product is|best was) \d+$/gm)).toHaveLength(3)
  })

  it('tells whoever lost a game how it ended, with the board, and where it was given up', async () => {
    const ways: string[] = []
    for (const name of ['weaker', 'veteran']) {
      const { records } = await ask(whole(), hotkeyOf(name), '--all', '--json')
      const { stdout, exitCode } = await ask(whole(), hotkeyOf(name), '--all')
      expect(exitCode).toBe(undefined)
      const lost = records.filter(({ type }) => type === 'lost') as unknown as readonly Lost[]
      for (const { role, pair } of lost.filter(({ pair }) => pair.env.startsWith('hex@'))) {
        const [, from = ''] = stdout.split(`#${pair.index}, challenge ${pair.challengeId}: `)
        const [told = ''] = from.split(/\n {2}lost |\n\n/)
        const texts = lostGameTexts(pair, role)
        const lines = texts.map((line) => `\n    ${line}`).join('')
        expect(told.slice(-lines.length)).toBe(lines)
        ways.push(texts.at(-1) ?? '')
      }
    }
    const timesOf = (text: string) => ways.filter((way) => way.startsWith(text)).length
    expect(timesOf('the scripted player gives this up after')).toBeGreaterThan(2)
    expect(timesOf('the scripted player gives this up before')).toBeGreaterThan(2)
    expect(timesOf('the scripted player replies ')).toBeGreaterThan(10)
  })

  it('counts over the whole duel what the rule counts, in the lanes that it counts', async () => {
    let longest = 0
    const decided = await subnet.epochs()
    for (const name of ['veteran', 'weaker', 'stronger']) {
      const { records } = await ask(whole(), hotkeyOf(name), '--json')
      for (const duel of records.filter(({ type }) => type === 'duel')) {
        const { from = 0, to = 0, challenges, role } = duel as unknown as Record<string, number>
        const epochs = records.filter(
          (each) => each.type === 'epoch' && isOf(duel as unknown as DuelFacts, each),
        )
        expect(epochs.map(({ epoch }) => epoch)).toEqual(
          Array.from({ length: to - from + 1 }, (_, i) => from + i),
        )
        expect(epochs.map(({ role }) => role)).toEqual(epochs.map(() => role))
        longest = Math.max(longest, epochs.length)
        const looks = looksAt(decided, duel as unknown as DuelFacts)
        let played = 0
        for (const { tallies, setAside } of looks.values()) {
          for (const [validator, tally] of Object.entries(tallies))
            if (!setAside.includes(validator)) played += tally.played
        }
        expect(challenges).toBe(played)
      }
    }
    expect(longest).toBeGreaterThan(1)
  })

  it('tells of a duel that goes on, and with --last what of it was not read', async () => {
    const contender = hotkeyOf('stronger')
    const [duel] = (await ask(whole(), contender, '--json')).records
    const { from, to } = duel as unknown as Record<'from' | 'to', number>
    expect(to).toBeGreaterThan(from)
    // Until the last epoch of the duel begins.
    const cut = firstBlocks(subnet.exported, to * LOCAL_NETWORK.protocol.epochBlocks)
    const file = await fileOf('going-on.json', cut)
    const { stdout } = await ask(file, contender)
    expect(stdout).toMatch(
      /^Its duel goes on: the contender has won \d of 4 environments, 3 needed\. It won /,
    )
    expect(stdout).toContain(`${contender} contends\n`)
    const late = await ask(whole(), contender, '--last', String(ended() - to))
    expect(late.stdout).toMatch(
      new RegExp(
        `^It won: .* [34] of 4 .*\n {2}contender, against 5\\w+, epoch ${to}, of a duel that began in epoch ${from}\n`,
      ),
    )
  })

  it('tells a champion of the duels it sat through, from its side', async () => {
    const { records } = await ask(whole(), hotkeyOf('veteran'), '--json')
    expect(records[0]).toMatchObject({ type: 'seated', epoch: 0, hotkey: hotkeyOf('veteran') })
    const { stdout } = await ask(whole(), hotkeyOf('veteran'))
    expect(stdout).toMatch(/^epoch 0 {2}this miner takes the empty throne, without a duel\n/)
    expect(stdout).toContain('It won: the contender has won 0 of 4 environments, 3 needed. ')
    expect(stdout).toMatch(/It lost: the contender has won [34] of 4 environments, 3 needed/)
    const epochs = records.filter(({ type }) => type === 'epoch')
    expect(new Set(epochs.map(({ role }) => role))).toEqual(new Set(['champion']))
    const ends = epochs.map(({ duel }) => (duel as DuelFacts).end).filter(Boolean)
    expect(ends).toEqual(['verdicts', 'crowned'])
    const lost = records.filter(({ type }) => type === 'lost')
    const duels = records.filter(({ type }) => type === 'duel')
    expect(lost.length).toBe(4 * 3 * duels.length)
    const pairs = lost.map(({ pair }) => pair as ChallengePair)
    expect(pairs.every((pair) => leadIn(pair) > 0)).toBe(true)
  })

  it('shows with --all every challenge that was lost in lanes that count, and no other', async () => {
    const contender = hotkeyOf('stronger')
    const { records } = await ask(whole(), contender, '--all', '--json')
    const shown = records.filter(({ type }) => type === 'lost')
    // The same from the evidence itself: all lanes count but the liar's, where that was set aside.
    const lost: (readonly [validator: string, pair: ChallengePair])[] = []
    const pairOf = pairing()
    const epochs = await subnet.epochs((sample, { validator }) => {
      const pair = pairOf(sample)
      if (pair?.contender.miner === contender && leadIn(pair) < 0) lost.push([validator, pair])
    })
    const [duel] = records.filter(({ type }) => type === 'duel') as unknown as [DuelFacts]
    const looks = looksAt(epochs, duel)
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
    const some = await ask(whole(), contender, '--json')
    const lostIn = (env: string) => got.filter((text) => text.split(' ')[1] === env).length
    const least = [...new Set(got.map((text) => text.split(' ')[1] ?? ''))].map((env) =>
      Math.min(lostIn(env), 3),
    )
    const shownInPart = some.records.filter(({ type }) => type === 'lost')
    expect(shownInPart).toHaveLength(least.reduce((sum, count) => sum + count, 0))
    const { stdout } = await ask(whole(), contender, '--all')
    expect(stdout.match(/^ {6}< /gm)?.length).toBeGreaterThan(2 * got.length)
  })

  it('knows a miner by its uid, and its place while it waits', async () => {
    const file = await fileOf('early.json', firstBlocks(subnet.exported, 12))
    const uid = subnet.cast.validators.length + 2
    const { records, stdout } = await ask(file, String(uid))
    expect(stdout).toMatch(
      /^5\w+ waits, at place 3 of 3: its turn begins in about 1 epoch; registration /,
    )
    expect(stdout).toContain(hotkeyOf('stronger'))
    expect(records).toEqual([])
    const json = await ask(file, hotkeyOf('veteran'), '--json')
    expect(json.records).toMatchObject([{ type: 'now', hotkey: hotkeyOf('veteran'), place: 1 }])
    expect((await ask(file, hotkeyOf('alice'))).stdout).toContain(
      `${hotkeyOf('alice')} has committed nothing\n`,
    )
  })

  it('says of a name that is no hotkey here that it is not registered, without what a terminal acts on', async () => {
    const { stdout, exitCode } = await ask(whole(), '\u001b[2Jnobody')
    expect([stdout.split('\n')[0], exitCode]).toEqual(['nobody is not registered', 1])
    expect((await ask(whole(), hotkeyOf('weaker'))).exitCode).toBe(undefined)
  })

  it('with --last needs nothing from before', async () => {
    const epochs = async (...words: readonly string[]) =>
      (await ask(whole(), hotkeyOf('veteran'), '--json', ...words)).records.flatMap(
        ({ epoch }) => epoch ?? [],
      )
    const all = [...new Set((await epochs()) as number[])]
    const last = ended() - Math.max(...all)
    expect([...new Set(await epochs('--last', String(last)))]).toEqual([Math.max(...all)])
    expect(await epochs('--last', String(last - 1))).toEqual([])
  })
})
