import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sample } from '@affine/blocks'
import { LOCAL_NETWORK, recompute } from '@affine/settlement'
import { openBucket } from '@affine/settlement/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AF, killAll, run } from '../../../test/processes.ts'
import { type Cast, castOf, LIAR } from '../src/commands/demo/cast.ts'
import { runSubnet } from '../src/commands/demo/subnet.ts'
import { explain } from '../src/commands/explain.ts'
import { inProcess, unprintable } from './commands.ts'

describe('af explain', () => {
  const SEED = 'a subnet to explain'
  let root: string
  let buckets: string
  let exported: string
  let cast: Cast
  const hotkeyOf = (name: string): string =>
    [...cast.validators, ...cast.miners].find((member) => member.name === name)?.account.hotkey ??
    ''
  const fileOf = async (name: string, text: string): Promise<string> => {
    await writeFile(join(root, name), text)
    return join(root, name)
  }
  const ask = async (file: string, hotkey: string, ...words: readonly string[]) =>
    inProcess(explain, '--network', file, '--buckets', buckets, '--hotkey', hotkey, ...words)

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'explain-'))
    const all = castOf(SEED)
    cast = { ...all, miners: all.miners.filter(({ name }) => name !== 'copy') }
    exported = (await runSubnet(cast, join(root, 'subnet'), () => {})).chain.export()
    buckets = join(root, 'subnet', 'buckets')
    await fileOf('chain.json', exported)
  }, 120_000)
  afterAll(async () => {
    await killAll()
    await rm(root, { recursive: true })
  })
  const whole = (): string => join(root, 'chain.json')

  it('tells a loser and the winner each epoch of its duel, and where it stands', async () => {
    const loser = await ask(whole(), hotkeyOf('weaker'))
    expect([loser.error, unprintable(loser.stdout)]).toEqual([undefined, []])
    expect(loser.stdout).toMatch(
      /^You lost: 0 of 2 environments, 2 needed\. In this epoch your endpoint answered 512 of 512 /m,
    )
    expect(loser.stdout).toMatch(
      /holds the throne, this miner contends, epoch 1 of at most 8. Ratio to beat 0\.51\n/,
    )
    expect(loser.stdout).toMatch(
      /^ {2}tictactoe@0\.1\.0 +\d+ won, \d+ lost, \d+ tied → hold\n {4}for a hold: \S+ of \S+ won \[.*┃.*\] 0\.\d+…0\.\d+$/m,
    )
    expect(loser.stdout).toContain('  tictactoe@0.1.0: hold, as what is left')
    expect(loser.stdout).toContain('  mult8@0.1.0: hold, as what is left')
    expect(loser.stdout).toMatch(/✘ set aside in mult8@0\.1\.0/)
    expect(loser.stdout).toContain('  it lost: the contender needs at least (n + 1) / 2 wins')
    expect(loser.stdout).toMatch(
      /forfeited by this miner, of 256 challenges in lanes that count: .*\d+ illegal/,
    )
    expect(loser.stdout.trimEnd().split('\n').at(-1)).toBe(
      `${hotkeyOf('weaker')} had its duel with this commitment`,
    )

    const winner = await ask(whole(), hotkeyOf('stronger'))
    expect(winner.stdout).toContain('★ this miner dethrones')
    expect(winner.stdout).toContain('You won: 2 of 2 environments, 2 needed. ')
    expect(winner.stdout).toContain('  mult8@0.1.0: win, as without the third')
    expect(winner.stdout).toContain('  it won: ')
    expect(winner.stdout.trimEnd().split('\n').at(-1)).toBe(
      `${hotkeyOf('stronger')} is the champion`,
    )
  })

  it('tells that an environment has no verdict yet', async () => {
    const { validators, miners, seed } = castOf(SEED)
    const out = join(root, 'equals')
    const equals = miners.filter(({ skill }) => skill === 0.6)
    await runSubnet({ seed, validators: validators.slice(0, 2), miners: equals }, out, () => {})
    const where = ['--network', join(out, 'chain.json'), '--buckets', join(out, 'buckets')]
    const contender = equals.at(-1)?.account.hotkey ?? ''
    const { stdout } = await inProcess(explain, ...where, '--hotkey', contender)
    expect(stdout).toContain('  mult8@0.1.0: no verdict\n')
  }, 120_000)

  it('tells a champion of the duels it sat through, from its side', async () => {
    const { records } = await ask(whole(), hotkeyOf('champion'), '--json')
    expect(records[0]).toMatchObject({ type: 'crowned', epoch: 0, hotkey: hotkeyOf('champion') })
    const { stdout } = await ask(whole(), hotkeyOf('champion'))
    expect(stdout).toMatch(/^epoch 0 .*\n {2}this miner takes the empty throne without a duel\./)
    expect(stdout).toContain('You won: the contender has 0 of 2 environments, 2 needed. ')
    expect(stdout).toContain('You lost: the contender has 2 of 2 environments, 2 needed. ')
    const epochs = records.filter(({ type }) => type === 'epoch')
    expect(new Set(epochs.map(({ role }) => role))).toEqual(new Set(['champion']))
    expect(
      epochs.map(({ report }) => (report as { outcome?: string }).outcome).filter(Boolean),
    ).toEqual(['champion', 'contender'])
    const lost = records.filter(({ type }) => type === 'lost')
    expect(lost.length).toBe(3 * epochs.length)
    expect(new Set(lost.map(({ sample }) => (sample as Sample).verdict))).toEqual(new Set(['win']))
  })

  it('shows with --all every challenge that was lost in lanes that count, and no other', async () => {
    const contender = hotkeyOf('weaker')
    const { records } = await ask(whole(), contender, '--all', '--json')
    const shown = records.filter(({ type }) => type === 'lost')
    // The same from the evidence itself: all lanes but the liar's count here.
    const want: string[] = []
    const options = {
      chain: (await import('@affine/chain')).LocalChain.import(exported),
      network: LOCAL_NETWORK,
    }
    const open = (hotkey: string, url: string) => openBucket(hotkey, url, { base: buckets })
    const liar = hotkeyOf(LIAR)
    for await (const _ of recompute({
      ...options,
      openBucket: open,
      onSample: (sample, { validator }) => {
        if (sample.contender.miner === contender && sample.verdict === 'loss' && validator !== liar)
          want.push(`${validator} ${sample.env} ${sample.index} ${sample.challengeId}`)
      },
    })) {
    }
    const got = shown.map(({ validator, sample }) => {
      const { env, index, challengeId } = sample as Sample
      return `${validator} ${env} ${index} ${challengeId}`
    })
    expect(got.sort()).toEqual(want.sort())
    expect(got.length).toBeGreaterThan(50)
    const some = await ask(whole(), contender, '--json')
    const last = some.records.filter(({ type }) => type === 'lost')
    const epochs = new Set(last.map(({ epoch }) => epoch))
    expect(epochs.size).toBeGreaterThan(0)
    for (const one of epochs) expect(last.filter(({ epoch }) => epoch === one)).toHaveLength(3)
  })

  it('counts what each side forfeited as the evidence has it', async () => {
    const { records } = await ask(whole(), hotkeyOf('weaker'), '--all', '--json')
    const [epoch] = records.filter(({ type }) => type === 'epoch')
    const counted = ((epoch?.forfeits ?? []) as string[]).map((text) => text.split(' '))
    expect(counted.map(([, kind]) => kind).sort()).toEqual(['illegal', 'unreadable'])
    for (const [count] of counted) expect(Number(count)).toBeGreaterThan(0)
  })

  it('knows a miner by its uid, and its place while it waits', async () => {
    const log = JSON.parse(exported)
    const file = await fileOf(
      'early.json',
      JSON.stringify({ ...log, blocks: log.blocks.slice(0, 12) }),
    )
    const uid = cast.validators.length + 2
    const { records, stdout } = await ask(file, String(uid))
    expect(stdout).toBe(`${hotkeyOf('stronger')} waits, the 3. of 3\n`)
    expect(records).toEqual([])
    const json = await ask(file, hotkeyOf('champion'), '--json')
    expect(json.records).toMatchObject([{ type: 'now', hotkey: hotkeyOf('champion'), place: 1 }])
    expect((await ask(file, hotkeyOf('alice'))).stdout).toBe(
      `${hotkeyOf('alice')} has committed nothing\n`,
    )
  })

  it('says of a name that is no hotkey here that it is not registered, without what a terminal acts on', async () => {
    const { stdout, exitCode } = await ask(whole(), '\u001b[2Jnobody')
    expect([stdout, exitCode]).toEqual(['nobody is not registered\n', 1])
    expect((await ask(whole(), hotkeyOf('weaker'))).exitCode).toBe(0)
  })

  it('with --last needs nothing from before', async () => {
    const epochs = async (...words: readonly string[]) =>
      (await ask(whole(), hotkeyOf('champion'), '--json', ...words)).records.flatMap(
        ({ epoch }) => epoch ?? [],
      )
    const all = [...new Set((await epochs()) as number[])]
    const log = JSON.parse(exported)
    const ended = Math.floor(log.blocks.length / 30)
    const last = ended - Math.max(...all)
    expect([...new Set(await epochs('--last', String(last)))]).toEqual([Math.max(...all)])
    expect(await epochs('--last', String(last - 1))).toEqual([])
  })

  it('is a program, which asks for what it needs', async () => {
    const help = await run(AF, ['explain', '--help'])
    expect([help.code, help.stderr]).toEqual([0, ''])
    expect(help.stdout).toContain('Example:\n  $ af explain --hotkey 7 --network ')
    const lacking = await run(AF, ['explain', '--network', whole()])
    expect(lacking.code).toBe(2)
    const wrong = await run(AF, ['explain', '--network', whole(), '--hotkey', '1', '--last', '0'])
    expect(wrong.code).toBe(2)
  })
})
