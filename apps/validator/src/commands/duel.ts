import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { PROTOCOL } from '@affine/duel'
import { make, registry } from '@affine/envs'
import { canonicalize } from '@affine/prng'
import { drawInterval, share } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { holdFolder } from '../folder-lock.ts'
import { openJournal } from '../journal.ts'
import { listen } from '../listen.ts'
import { minerClient } from '../miner-client.ts'
import { minerServer } from '../miner-server.ts'
import { interrupted, output } from '../output.ts'
import { type AgentOf, runDuel, type SoloDuel, type Standing } from '../solo-duel.ts'
import { shareOption, whole } from './options.ts'

/** `af duel`: is the contender better than the champion? */
export const duel: CommandUnknownOpts = new Command('duel')
  .description('put the same challenges to two players, and stop when it is certain who is better')
  .argument(
    '<champion>',
    'URL of an OpenAI-compatible endpoint, or a built-in player: perfect, random, or a skill as 0.7',
  )
  .argument('<contender>', 'likewise')
  .option('--env <id...>', 'which environments; all without')
  .option('--ratio <share>', 'the ratio to beat', shareOption, PROTOCOL.ratioFloorPpm / 1e6)
  .option('--model <name>', 'what the endpoints call the model', 'default')
  .option('--ahead <n>', 'challenges under way at once in each environment', whole(1, 1000), 16)
  .option(
    '--give-up <seconds>',
    'how long an endpoint may be out of reach before a reply is forfeited',
    whole(1, 86_400),
    120,
  )
  .option('--out <folder>', 'where to keep samples and result; a duel begun there is taken up again', 'duel')
  .option('--json', 'one JSON object a line')
  .addHelpText(
    'after',
    '\nExamples:\n  $ af duel 0.6 0.8\n  $ af duel http://127.0.0.1:8001/v1 http://127.0.0.1:8002/v1 --env mult8-v0 --out mine',
  )
  .action(async (champion, contender, options) => {
    const screen = output(options.json ?? false)
    const signal = interrupted()
    const envs = (options.env ?? [...registry.keys()]).map((env) => make(env).spec.id)
    const ratioPpm = Math.round(options.ratio * 1e6)
    const release = await holdFolder(options.out)
    const servers: Server[] = []
    try {
      const journal = await openJournal(join(options.out, 'samples.jsonl'))
      const asked = { champion, contender, envs, ratioPpm }
      const kept = journal.entries[0] as SoloDuel | undefined
      const duel: SoloDuel = kept ?? { ...asked, secret: randomBytes(32).toString('hex') }
      if (canonicalize({ ...asked, secret: duel.secret }) !== canonicalize(duel)) {
        throw new RangeError(`"--out" ${options.out} holds another duel: name another folder, or repeat its arguments`)
      }
      if (kept === undefined) await journal.append(duel)
      else
        screen.line(`taking up ${journal.entries.length - 1} samples`, {
          type: 'resumed',
          samples: journal.entries.length - 1,
        })
      const agents = {
        champion: await playerOf(champion, 'champion', options, servers, signal),
        contender: await playerOf(contender, 'contender', options, servers, signal),
      }
      const result = await runDuel({
        duel,
        protocol: PROTOCOL,
        journal,
        agents,
        ahead: options.ahead,
        signal,
        on: (standing) => screen.status(standingText(standing, ratioPpm).join('   ')),
      })
      await writeFile(join(options.out, 'result.json'), `${JSON.stringify({ duel, ...result }, null, 2)}\n`)
      const winner = result.outcome === 'contender' ? 'the contender takes the throne' : 'the champion holds'
      const text = [...standingText(result, ratioPpm), `${winner}. Samples and result are in ${options.out}`]
      screen.line(text.join('\n'), { type: 'end', ...result })
    } finally {
      for (const server of servers) server.close().closeAllConnections()
      await release()
    }
  })

interface PlayerOptions {
  readonly model: string
  readonly ahead: number
  readonly giveUp: number
  readonly out: string
}

/** Agents for one side. A built-in player is served over HTTP like any other, from a server of its own. */
async function playerOf(
  who: string,
  role: string,
  options: PlayerOptions,
  servers: Server[],
  signal: AbortSignal,
): Promise<AgentOf> {
  const skill = who === 'perfect' ? 1 : who === 'random' ? 0 : Number(who)
  let url = who
  if (skill >= 0 && skill <= 1) {
    const server = minerServer({ skill, seed: role })
    servers.push(server)
    url = `${await listen(server, 0)}/v1`
  } else if (!/^https?:\/\//.test(who) || !URL.canParse(who)) {
    throw new RangeError(`"${role}" expected a URL, perfect, random or a skill from 0 to 1, got ${JSON.stringify(who)}`)
  } else
    await fetch(who, { method: 'HEAD', signal: AbortSignal.timeout(10_000) }).catch((error: Error) => {
      throw new Error(`nothing answers at ${who}: ${(error.cause as Error | undefined)?.message ?? error.message}`)
    })
  const client = minerClient({ url, model: options.model }, 2 * options.ahead, Date.now)
  return (replyMs) => (messages) => {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(options.giveUp * 1000)])
    return client.agent(replyMs, patience)(messages)
  }
}

function standingText({ envs }: Standing, ratioPpm: number): readonly string[] {
  const z = Math.sqrt(PROTOCOL.zSquaredPpm / 1e6)
  return Object.entries(envs).map(([env, { wins, losses, ties, trials, verdict }]) => {
    const counts = `${wins} won, ${losses} lost, ${ties} tied`
    return `${env} ${counts} ${drawInterval({ wins, trials }, z, ratioPpm)} vs ${share(ratioPpm)} ${verdict}`
  })
}
