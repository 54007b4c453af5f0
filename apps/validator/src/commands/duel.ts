import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROTOCOL } from '@affine/duel'
import { holdFolder, type Journal, openJournal } from '@affine/engine/node'
import {
  environmentsNamed,
  openPlayer,
  type Player,
  runDuel,
  type SoloDuel,
  type Standing,
} from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { canonicalize, type Hash, type Json } from '@affine/prng'
import { boundsOf, drawInterval, share } from '@affine/report'
import { NETWORK_HELP } from '@affine/settlement'
import { interrupted, NETUID, output, raceAbort, shareOption, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { minersOf } from './duel/registered-miners.ts'

type Pair<Value> = readonly [champion: Value, contender: Value]

const PLAYER =
  "an OpenAI-compatible endpoint's URL; perfect, random, or a skill as 0.7; " +
  'with --network, the uid of a miner on a local one'

const EXAMPLES = `
Examples:
  $ af duel 0.6 0.8
  $ af duel http://127.0.0.1:8001/v1 http://127.0.0.1:8002/v1 --env mult8-v0 --out mine
  $ af duel 3 4 --network http://127.0.0.1:9944`

/** `af duel`: is the contender better than the champion? */
export const duel: CommandUnknownOpts = new Command('duel')
  .description('put the same challenges to two players, and stop when it is certain who is better')
  .argument('<champion>', PLAYER)
  .argument('<contender>', PLAYER)
  .option('--env <id...>', 'the environments to play (default: all)')
  .option(
    '--ratio <share>',
    'the share of decisive challenges that the contender must beat, 0 to 1',
    shareOption,
    PROTOCOL.ratioFloorPpm / 1e6,
  )
  .option('--model <name>', "the model's name at the endpoints", 'default')
  .option('--network <where>', `where the two are registered: ${NETWORK_HELP}`)
  .addOption(NETUID)
  .option(
    '--ahead <n>',
    'the number of challenges under way at once in each environment',
    whole(1, 1000),
    16,
  )
  .option(
    '--give-up <seconds>',
    'seconds for which an endpoint may be out of reach before it forfeits',
    whole(1, 86_400),
    120,
  )
  .option('--out <folder>', 'the folder for samples and result; a duel begun there goes on', 'duel')
  .option('--json', 'print JSON, one object a line')
  .addHelpText('after', EXAMPLES)
  .action(async (first, second, { network, netuid, ratio, ahead, out, ...options }) => {
    const screen = output(options.json)
    const signal = interrupted()
    const named = playersNamed([first, second], network, netuid)
    const [champion, contender] = await raceAbort(named, signal)
    const envs = environmentsNamed(options.env)
    await using _folder = await holdFolder(out)
    const asking = { ...NODE_CALLER, model: options.model, giveUpMs: options.giveUp * 1000, signal }
    const one = await openPlayer(champion, 'champion', asking)
    const other = await openPlayer(contender, 'contender', asking)

    const journal = await openJournal(join(out, 'samples.jsonl'))
    const asked = { champion, contender, envs, ratioPpm: Math.round(ratio * 1e6) }
    const solo = await duelIn(journal, out, asked)
    if (journal.entries.length > 0) {
      const samples = journal.entries.length - 1
      screen.line(`taking up ${samples} samples`, { type: 'resumed', samples })
    }
    const on = (standing: Standing): void => screen.status(standingText(standing, solo).join('   '))
    const players = { champion: one, contender: other }
    const result = await runDuel({ duel: solo, journal, players, ahead, signal, now: Date.now, on })
    await writeFile(
      join(out, 'result.json'),
      `${JSON.stringify({ duel: solo, ...result }, null, 2)}\n`,
    )
    const ending = `${endingOf(result)} Samples and result are in ${out}`
    const text = [...standingText(result, solo), ending].join('\n')
    screen.line(text, { type: 'end', ...result })
  })

/** The two players: as they are named, or the miners whose uids these are on a network. */
async function playersNamed(
  names: Pair<string>,
  network: string | undefined,
  netuid: number | undefined,
): Promise<Pair<Player>> {
  if (network === undefined) return names
  return minersOf(network, netuid, names)
}

/**
 * The duel that was asked for, with the secret that the journal in the folder `out` keeps. An empty
 * journal begins with it, and a secret drawn now.
 * @throws RangeError when the journal is another duel's.
 */
async function duelIn(
  journal: Journal,
  out: string,
  asked: Omit<SoloDuel, 'secret'>,
): Promise<SoloDuel> {
  const kept = journal.entries[0]
  const solo = { ...asked, secret: secretIn(kept) ?? randomBytes(32).toString('hex') }
  if (kept === undefined) await journal.append(solo)
  else if (canonicalize(kept) !== canonicalize(solo)) {
    const advice = 'name another folder, or repeat its arguments'
    throw new RangeError(`"--out" ${out} holds another duel: ${advice}`)
  }
  return solo
}

function secretIn(kept: Json | undefined): Hash | undefined {
  if (typeof kept !== 'object' || kept === null || !('secret' in kept)) return undefined
  if (typeof kept.secret !== 'string') return undefined
  return kept.secret
}

/** How each environment stands, on a line. */
function standingText({ envs }: Standing, { ratioPpm }: SoloDuel): readonly string[] {
  const zSquaredPpm = BigInt(PROTOCOL.zSquaredPpm)
  return Object.entries(envs).map(([env, { wins, losses, ties, trials, verdict }]) => {
    const counts = `${wins} won, ${losses} lost, ${ties} tied`
    const drawn = drawInterval(boundsOf({ wins, trials, zSquaredPpm }), ratioPpm)
    return `${env} ${counts} ${drawn} vs ${share(ratioPpm)} → ${verdict}`
  })
}

function endingOf({ outcome }: Standing): string {
  if (outcome === 'contender') return 'The contender takes the throne.'
  return 'The champion holds.'
}
