import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { PROTOCOL } from '@affine/duel'
import { type Agent, make, play, registry, specHash } from '@affine/envs'
import { canonicalize } from '@affine/prng'
import {
  drawInterval,
  interrupted,
  NETUID,
  NETWORK_HELP,
  output,
  printable,
  raceAbort,
  share,
} from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { holdFolder } from '../folder-lock.ts'
import { openJournal } from '../journal.ts'
import {
  minersOf,
  type Opponent,
  openPlayer,
  runDuel,
  type SoloDuel,
  type Standing,
  soloChallenge,
} from '../solo.ts'
import { shareOption, whole } from './options.ts'

const PLAYER =
  "an OpenAI-compatible endpoint's URL; perfect, random, or a skill as 0.7; with --network, a miner's uid"
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
  .option('--env <id...>', 'which environments; all without')
  .option('--ratio <share>', 'the ratio to beat', shareOption, PROTOCOL.ratioFloorPpm / 1e6)
  .option('--model <name>', 'what the endpoints call the model', 'default')
  .option('--network <where>', `where the two are registered: ${NETWORK_HELP}`)
  .addOption(NETUID)
  .option('--ahead <n>', 'challenges under way at once in each environment', whole(1, 1000), 16)
  .option(
    '--give-up <seconds>',
    'how long an endpoint may be out of reach before it forfeits',
    whole(1, 86_400),
    120,
  )
  .option(
    '--out <folder>',
    'where to keep samples and result; a duel begun there is taken up again',
    'duel',
  )
  .option('--json', 'one JSON object a line')
  .addHelpText('after', EXAMPLES)
  .action(
    async (first, second, { env, ratio, model, network, netuid, ahead, giveUp, out, json }) => {
      const [screen, signal] = [output(json), interrupted()]
      const miners = network === undefined ? undefined : minersOf(network, netuid, [first, second])
      const [champion, contender] = miners ? await raceAbort(miners, signal) : [first, second]
      const envs = [...new Set((env ?? [...registry.keys()]).map((id) => make(id).spec.id))]
      await using _folder = await holdFolder(out)
      const options = { model, giveUpMs: giveUp * 1000, signal }
      using one = await openPlayer(champion, 'champion', options)
      using other = await openPlayer(contender, 'contender', options)
      const journal = await openJournal(join(out, 'samples.jsonl'))
      const [kept, ...samples] = journal.entries as unknown as [SoloDuel | undefined]
      const secret = kept?.secret ?? randomBytes(32).toString('hex')
      const duel: SoloDuel = {
        champion,
        contender,
        envs,
        ratioPpm: Math.round(ratio * 1e6),
        secret,
      }
      if (kept === undefined) await journal.append(duel)
      else if (canonicalize(kept) !== canonicalize(duel)) {
        throw new RangeError(
          `"--out" ${out} holds another duel: name another folder, or repeat its arguments`,
        )
      } else
        screen.line(`taking up ${samples.length} samples`, {
          type: 'resumed',
          samples: samples.length,
        })
      const on = (standing: Standing): void =>
        screen.status(standingText(standing, duel).join('   '))
      const players = { champion: one, contender: other }
      const result = await runDuel({ duel, journal, players, ahead, signal, on })
      await writeFile(join(out, 'result.json'), `${JSON.stringify({ duel, ...result }, null, 2)}\n`)
      const winner =
        result.outcome === 'contender' ? 'The contender takes the throne.' : 'The champion holds.'
      const text = [...standingText(result, duel), `${winner} Samples and result are in ${out}`]
      screen.line(text.join('\n'), { type: 'end', ...result })
    },
  )

function standingText({ envs }: Standing, { ratioPpm }: SoloDuel): readonly string[] {
  const z = Math.sqrt(PROTOCOL.zSquaredPpm / 1e6)
  return Object.entries(envs).map(([env, { wins, losses, ties, trials, verdict }]) => {
    const counts = `${wins} won, ${losses} lost, ${ties} tied`
    return `${env} ${counts} ${drawInterval({ wins, trials }, z, ratioPpm)} vs ${share(ratioPpm)} ${verdict}`
  })
}

const AGENT = 'human, perfect, random, a skill as 0.7, or the URL of an OpenAI-compatible endpoint'
const RUN_EXAMPLES = `
Examples:
  $ af env run tictactoe-v0
  $ af env run mult8-v0 --agent perfect --verify
  $ af env run mult8-v0 --agent http://127.0.0.1:8001/v1`

/** `af env`: look at the environments and play them. */
export const env: CommandUnknownOpts = new Command('env').description(
  'list environments, and play one',
)

env
  .command('list')
  .description('the registered environments')
  .option('--json', 'one JSON object a line')
  .addHelpText('after', '\nExample:\n  $ af env list')
  .action(({ json }) => {
    for (const { id, difficulty, maxSteps, replyMs } of registry.values()) {
      const record = { id, difficulty, maxSteps, replyMs, specHash: specHash(id) }
      const replies = maxSteps === 1 ? 'one reply' : `at most ${maxSteps} replies`
      output(json).line(
        `${id.padEnd(18)} ${replies} of ${replyMs / 1000} s, specHash ${record.specHash}`,
        record,
      )
    }
  })

env
  .command('run')
  .description('play one challenge')
  .argument('<env>', 'as in tictactoe@0.1.0, or tictactoe-v0 for the newest')
  .option('--challenge <id>', 'which one; a new one without')
  .option('--agent <who>', AGENT, 'human')
  .option('--model <name>', 'what the endpoint calls the model', 'default')
  .option('--verify', 'play twice and compare')
  .option('--json', 'one JSON object a line')
  .addHelpText('after', RUN_EXAMPLES)
  .action(async (name, { challenge, agent: who, model, verify, json }) => {
    const screen = output(json)
    const env = make(name)
    const id = challenge ?? soloChallenge(env.spec.id, randomBytes(32).toString('hex'), 0)
    const person = who === 'human'
    const seed = randomBytes(8).toString('hex')
    using player = person
      ? human()
      : await openPlayer(who, seed, { model, giveUpMs: 60_000, signal: interrupted() })
    const { messages, reward, fault } = await play(env, id, player.agent(env.spec.replyMs))
    const said = messages.map(
      ({ role, content }) => `${role === 'user' ? '>' : '<'} ${printable(content, 2000)}`,
    )
    const end = `reward ${reward}${fault === undefined ? '' : `, forfeited: ${fault}`}`
    const record = { type: 'episode', env: env.spec.id, challengeId: id, messages, reward, fault }
    screen.line([`challenge ${id}`, ...(person ? [] : said), end].join('\n'), record)
    if (!verify) return
    const replies = messages.filter(({ role }) => role === 'assistant').values()
    const again: Agent = async () => replies.next().value ?? { fault: 'no-reply' }
    const second = await play(env, id, person ? again : player.agent(env.spec.replyMs))
    const bytes = (list: typeof messages): string =>
      JSON.stringify(list.map(({ content }) => content))
    const equal = bytes(second.messages) === bytes(messages) && second.reward === reward
    if (!equal)
      throw new Error('played twice, the episode differs: the player is not deterministic')
    screen.line('played twice, the same to the byte', { type: 'verified', equal })
  })

/** Shows each prompt and reads one line. The end of input is no reply. */
function human(): Opponent {
  const input = createInterface({ input: process.stdin, output: process.stderr, prompt: '< ' })
  input.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const lines = input[Symbol.asyncIterator]()
  const agent: Agent = async (messages) => {
    process.stderr.write(`\n${messages.at(-1)?.content ?? ''}\n`)
    input.prompt()
    const { value, done } = await lines.next()
    return done ? { fault: 'no-reply' } : { content: value }
  }
  return { agent: () => agent, [Symbol.dispose]: () => void process.stdin.destroy() }
}
