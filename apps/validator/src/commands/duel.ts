import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROTOCOL } from '@affine/duel'
import { make, registry } from '@affine/envs'
import { canonicalize } from '@affine/prng'
import { drawInterval, interrupted, output, share } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { holdFolder } from '../folder-lock.ts'
import { openJournal } from '../journal.ts'
import { openPlayer, runDuel, type SoloDuel, type Standing } from '../solo.ts'
import { shareOption, whole } from './options.ts'

const PLAYER = 'URL of an OpenAI-compatible endpoint, or a built-in player: perfect, random, or a skill as 0.7'
const EXAMPLES = `
Examples:
  $ af duel 0.6 0.8
  $ af duel http://127.0.0.1:8001/v1 http://127.0.0.1:8002/v1 --env mult8-v0 --out mine`

/** `af duel`: is the contender better than the champion? */
export const duel: CommandUnknownOpts = new Command('duel')
  .description('put the same challenges to two players, and stop when it is certain who is better')
  .argument('<champion>', PLAYER)
  .argument('<contender>', PLAYER)
  .option('--env <id...>', 'which environments; all without')
  .option('--ratio <share>', 'the ratio to beat', shareOption, PROTOCOL.ratioFloorPpm / 1e6)
  .option('--model <name>', 'what the endpoints call the model', 'default')
  .option('--ahead <n>', 'challenges under way at once in each environment', whole(1, 1000), 16)
  .option('--give-up <seconds>', 'how long an endpoint may be out of reach before it forfeits', whole(1, 86_400), 120)
  .option('--out <folder>', 'where to keep samples and result; a duel begun there is taken up again', 'duel')
  .option('--json', 'one JSON object a line')
  .addHelpText('after', EXAMPLES)
  .action(async (champion, contender, { env, ratio, model, ahead, giveUp, out, json }) => {
    const screen = output(json)
    const signal = interrupted()
    const envs = [...new Set((env ?? [...registry.keys()]).map((id) => make(id).spec.id))]
    await using _folder = await holdFolder(out)
    const options = { model, giveUpMs: giveUp * 1000, signal }
    using first = await openPlayer(champion, 'champion', options)
    using second = await openPlayer(contender, 'contender', options)
    const journal = await openJournal(join(out, 'samples.jsonl'))
    const [kept, ...samples] = journal.entries as unknown as [SoloDuel | undefined]
    const secret = kept?.secret ?? randomBytes(32).toString('hex')
    const duel: SoloDuel = { champion, contender, envs, ratioPpm: Math.round(ratio * 1e6), secret }
    if (kept === undefined) await journal.append(duel)
    else if (canonicalize(kept) !== canonicalize(duel)) {
      throw new RangeError(`"--out" ${out} holds another duel: name another folder, or repeat its arguments`)
    } else screen.line(`taking up ${samples.length} samples`, { type: 'resumed', samples: samples.length })
    const on = (standing: Standing): void => screen.status(standingText(standing, duel).join('   '))
    const players = { champion: first, contender: second }
    const result = await runDuel({ duel, journal, players, ahead, signal, on })
    await writeFile(join(out, 'result.json'), `${JSON.stringify({ duel, ...result }, null, 2)}\n`)
    const winner = result.outcome === 'contender' ? 'The contender takes the throne.' : 'The champion holds.'
    const text = [...standingText(result, duel), `${winner} Samples and result are in ${out}`]
    screen.line(text.join('\n'), { type: 'end', ...result })
  })

function standingText({ envs }: Standing, { ratioPpm }: SoloDuel): readonly string[] {
  const z = Math.sqrt(PROTOCOL.zSquaredPpm / 1e6)
  return Object.entries(envs).map(([env, { wins, losses, ties, trials, verdict }]) => {
    const counts = `${wins} won, ${losses} lost, ${ties} tied`
    return `${env} ${counts} ${drawInterval({ wins, trials }, z, ratioPpm)} vs ${share(ratioPpm)} ${verdict}`
  })
}
