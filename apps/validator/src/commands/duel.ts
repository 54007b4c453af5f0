import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChallengePair } from '@affine/blocks'
import { PROTOCOL } from '@affine/duel'
import { SIDES } from '@affine/envs'
import {
  type DuelStanding,
  expectReply,
  HOPELESS,
  resolveEnvironments,
  resumeRun,
  runDuel,
  type SoloDuel,
} from '@affine/miners'
import { lockFolder, openJournal } from '@affine/node/disk'
import { drawInterval, findBounds, percent } from '@affine/report'
import { NETWORK_HELP, SYSTEM_CLOCK } from '@affine/settlement'
import { interrupted, NETUID, networkOption, output } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { DUEL_PLAYER, openPlayers } from './duel/players.ts'
import { createAsking, createProgress, createSoloCommand, printFailures } from './solo.ts'

const EXAMPLES = `  $ af duel 0.6 0.8
  $ af duel 0.6 http://127.0.0.1:8001/v1 --env mult8-v0 --out mine
  $ af duel 17 42 --network finney`

export const duel: CommandUnknownOpts = createSoloCommand('duel', EXAMPLES)
  .argument('<champion>', DUEL_PLAYER)
  .argument('<contender>', 'another player')
  .option('--out <folder>', 'the folder of samples and result; continues the duel in it', 'duel')
  .addOption(networkOption(`the network of the uids: ${NETWORK_HELP}`))
  .addOption(NETUID)
  .action(async (champion, contender, { ahead, out, model, ...options }) => {
    const screen = output(options.json)
    const signal = interrupted()
    const envs = resolveEnvironments(options.env)
    await using _folder = await lockFolder(out)
    const asking = { ...createAsking({ model }, signal), env: envs[0] }
    const words = { champion, contender }
    const { names, players } = await openPlayers(words, options, { asking, screen })

    await using journal = await openJournal(join(out, 'samples.jsonl'))
    const identity = { ...names, model, envs, ratioPpm: PROTOCOL.ratioFloorPpm }
    const solo = await resumeRun(journal, identity, { secret: randomBytes(32).toString('hex') })
    if (solo === undefined)
      throw new RangeError(
        `${out} contains another duel: name another folder with --out, or repeat its arguments`,
      )
    if (journal.entries.length > 0) {
      const samples = journal.entries.length - 1
      screen.line(`continuing after ${samples} samples`, { type: 'resumed', samples })
    }
    const played = journal.entries.slice(1) as unknown as ChallengePair[]
    const stopped = () =>
      `stopped after ${played.length} challenges: to continue, repeat the command`
    const show = createProgress(screen, signal, stopped)
    const on = (standing: DuelStanding, pair: ChallengePair): void => {
      played.push(pair)
      show(formatStanding(standing, solo).join('   '))
    }
    const sampling = { players, ahead, signal, now: Date.now, time: SYSTEM_CLOCK }
    const result = await runDuel({ duel: solo, journal, ...sampling, on })
    for (const role of SIDES) printFailures(`the ${role}`, players[role], screen)
    for (const role of SIDES) {
      const episodes = played.map((pair) => pair[role])
      expectReply(`the ${role}`, episodes, players[role])
    }
    const report = JSON.stringify({ duel: solo, ...result }, null, 2)
    await writeFile(join(out, 'result.json'), `${report}\n`)
    const ending = `${formatEnding(result)} Samples and result are in ${out}`
    const left = result.left.map(
      (env) => `${env} was dropped: no answer in ${HOPELESS} challenges was legal`,
    )
    const text = [...formatStanding(result, solo), ...left, ending].join('\n')
    screen.line(text, { type: 'end', ...result })
  })

const formatEnding = ({ outcome }: DuelStanding): string =>
  outcome === 'contender' ? 'The contender becomes champion.' : 'The champion holds.'

function formatStanding({ envs }: DuelStanding, { ratioPpm }: SoloDuel): readonly string[] {
  const { zSquaredPpm } = PROTOCOL
  return Object.entries(envs).map(([env, { wins, losses, ties, trials, verdict }]) => {
    const counts = `${wins} won, ${losses} lost, ${ties} tied`
    const drawn = drawInterval(findBounds({ wins, trials, zSquaredPpm }), ratioPpm)
    return `${env} ${counts} ${drawn} vs ${percent(ratioPpm)} → ${verdict}`
  })
}
