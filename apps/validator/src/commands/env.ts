import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import {
  type Agent,
  type Answer,
  deriveSeed,
  type Env,
  isChallengeId,
  make,
  play,
  registry,
  specHash,
  type Transcript,
} from '@affine/envs'
import { type Opponent, openPlayer, soloChallenge } from '@affine/miners'
import { describeSoloEnding, formatEnding, formatMessage } from '@affine/report'
import { createCommand, ENV_MODULES, interrupted, output, textIn } from '@affine/terminal'
import { Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { createAsking, createStrengthOption, expectGame } from './solo.ts'

const AGENT =
  'human, perfect, random, a skill such as 0.7, or the URL of an OpenAI-compatible endpoint'

const readChallenge = textIn('the base58 of 32 bytes', isChallengeId)
const readSeed = textIn('a whole number below 2^128', (text) => {
  return /^[0-9]{1,39}$/.test(text) && BigInt(text) < 2n ** 128n
})

const RUN_EXAMPLES = `  $ af env run tictactoe-v0
  $ af env run mult8-v0 --agent perfect
  $ af env run hex-v0 --agent 0.5 --seed 7
  $ af env run mult8-v0 --agent http://127.0.0.1:8001/v1`

const SAME = 'deterministic: a second play with the same replies is the same, byte for byte'
const DIFFERENT = 'not deterministic: a second play with the same replies differs'

const list = createCommand('list', '  $ af env list')
  .description('list the registered environments')
  .addOption(ENV_MODULES)
  .action(({ json }) => {
    const screen = output(json)
    for (const { id, maxSteps, replyMs, game } of registry.values()) {
      const players = game === undefined ? 1 : 2
      const record = { id, players, maxSteps, replyMs, specHash: specHash(id) }
      const replies = maxSteps === 1 ? 'one reply' : `at most ${maxSteps} replies`
      const ofTwo = players === 2 ? ' of two players' : ''
      const text = `${replies}${ofTwo}, ${replyMs / 1000} s each, specHash ${record.specHash}`
      screen.line(`${id.padEnd(18)} ${text}`, record)
    }
  })

const run = createCommand('run', RUN_EXAMPLES)
  .description('play a challenge; also replay a named one, and compare')
  .argument('<env>', 'an id such as tictactoe@0.1.0, or tictactoe-v0 for its newest version')
  .option('--challenge <id>', "the challenge's id (default: a new one)", readChallenge)
  .addOption(
    new Option('--seed <n>', 'play the episode of a seed instead')
      .argParser((text) => BigInt(readSeed(text)))
      .conflicts('challenge'),
  )
  .option('--agent <who>', AGENT, 'human')
  .addOption(ENV_MODULES)
  .addOption(createStrengthOption())
  .option('--model <name>', 'the model name in requests to an endpoint', 'default')
  .action(async (name, { challenge, seed, agent: who, strength, model, json }) => {
    const screen = output(json)
    if (strength !== undefined) expectGame([name])
    const game = make(name, { strength })
    const { id, replyMs } = game.spec
    const isHuman = who === 'human'
    const openOther = (): Promise<Opponent> => {
      const asking = { ...createAsking({ model }, interrupted()), env: id }
      screen.wait(`waiting for replies of ${who}`)
      // The seed of a built-in player's replies, new in each run.
      return openPlayer(who, randomBytes(8).toString('hex'), asking)
    }
    const player = isHuman ? createHuman() : await openOther()
    const challengeId = challenge ?? soloChallenge(id, randomBytes(32).toString('hex'), 0)
    const origin = seed === undefined ? { challengeId } : { seed: String(seed) }
    const from = seed ?? deriveSeed(challengeId)
    const answers: Answer[] = []
    const agent = player.agent(replyMs)
    const episode = await play(game, from, async (messages) => {
      const answer = await agent(messages)
      answers.push(answer)
      return answer
    })
    if (isHuman) process.stdin.destroy()
    const lines = [seed === undefined ? `challenge ${challengeId}` : `seed ${seed}`]
    // A human player has already seen the messages.
    if (!isHuman) lines.push(...episode.messages.map(formatInFull))
    const ending = describeSoloEnding({ env: id, seed: from, strength }, episode)
    lines.push(`reward ${episode.reward}, ${formatEnding(ending).join('\n')}`)
    const record = { type: 'episode', env: id, ...origin, strength, ...episode, ending }
    if (challenge === undefined && seed === undefined) return screen.line(lines.join('\n'), record)
    const deterministic = await isRepeatable(game, from, { episode, answers })
    lines.push(deterministic ? SAME : DIFFERENT)
    screen.line(lines.join('\n'), { ...record, deterministic })
    if (!deterministic) process.exitCode = 1
  })

export const env: CommandUnknownOpts = new Command('env')
  .addHelpText('before', 'Examples:\n  $ af env list\n  $ af env run tictactoe-v0\n')
  .addCommand(list)
  .addCommand(run)

/** Formats a message with its line breaks, each line after the mark of its role. */
const formatInFull = ({ role, content }: Transcript['messages'][number]): string =>
  content
    .split('\n')
    .map((line) => formatMessage({ role, content: line }).trimEnd())
    .join('\n')

/** Plays an episode again with the same answers, and reports whether both plays are identical. */
async function isRepeatable(
  { spec }: Env,
  seed: bigint,
  { episode, answers }: { readonly episode: Transcript; readonly answers: readonly Answer[] },
): Promise<boolean> {
  const left = answers.values()
  // `play` caches the start of an episode by the specification object. A copy avoids the cache.
  const again = await play(
    { spec: { ...spec } },
    seed,
    () => left.next().value ?? { fault: 'no-reply' },
  )
  return JSON.stringify(again) === JSON.stringify(episode)
}

/**
 * Returns a player that shows each prompt and reads one line. The end of input counts as no reply.
 */
function createHuman(): Opponent {
  const input = createInterface({ input: process.stdin, output: process.stderr, prompt: '< ' })
  input.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const lines = input[Symbol.asyncIterator]()
  const agent: Agent = async (messages) => {
    process.stderr.write(`\n${messages.at(-1)?.content ?? ''}\n`)
    input.prompt()
    const { value, done } = await lines.next()
    if (done) return { fault: 'no-reply' }
    return { content: value }
  }
  return { failures: new Map(), agent: () => agent }
}
