import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { type Agent, challengeId, make, play, registry, specHash, type Transcript } from '@affine/envs'
import { printable } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { minerClient } from '../miner-client.ts'
import { interrupted, output } from '../output.ts'
import { playerReply } from '../reference-player.ts'

/** `af env`: look at the environments and play them. */
export const env: CommandUnknownOpts = new Command('env').description('list environments, and play one')

env
  .command('list')
  .description('the registered environments')
  .option('--json', 'one JSON object a line')
  .addHelpText('after', '\nExample:\n  $ af env list')
  .action(({ json }) => {
    const screen = output(json ?? false)
    for (const { id, difficulty, maxSteps, replyMs } of registry.values()) {
      const text = `${id.padEnd(18)} at most ${maxSteps} replies of ${replyMs / 1000} s   specHash ${specHash(id)}`
      screen.line(text, { id, difficulty, maxSteps, replyMs, specHash: specHash(id) })
    }
  })

env
  .command('run')
  .description('play one challenge')
  .argument('<env>', 'as in tictactoe@0.1.0, or tictactoe-v0 for the newest')
  .option('--challenge <id>', 'which one; a new one without')
  .option('--agent <who>', 'human, perfect, random, or the URL of an OpenAI-compatible endpoint', 'human')
  .option('--model <name>', 'what the endpoint calls the model', 'default')
  .option('--verify', 'play twice and compare')
  .option('--json', 'one JSON object')
  .addHelpText(
    'after',
    '\nExamples:\n  $ af env run tictactoe-v0\n  $ af env run mult8-v0 --agent perfect --verify\n  $ af env run mult8-v0 --agent http://127.0.0.1:8001/v1',
  )
  .action(async (id, { challenge, agent: who, model, verify, json }) => {
    const screen = output(json ?? false)
    const env = make(id)
    const challengeId = challenge ?? freshChallenge(env.spec.id)
    const agent = agentOf(who, model, env.spec.replyMs)
    const transcript = await play(env, challengeId, agent)
    if (who === 'human') process.stdin.destroy()
    const end = `reward ${transcript.reward}${transcript.fault === undefined ? '' : `, forfeited: ${transcript.fault}`}`
    const said = who === 'human' ? [] : messageLines(transcript)
    const record = { env: env.spec.id, challengeId, ...transcript }
    screen.line([`challenge ${challengeId}`, ...said, end].join('\n'), record)
    if (verify) {
      const replies = transcript.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
      const again = await play(env, challengeId, who === 'human' ? recorded(replies) : agent)
      const equal = JSON.stringify(contents(again)) === JSON.stringify(contents(transcript))
      if (!equal)
        throw new Error('played twice, the episode differs: the agent, or the environment, is not deterministic')
      screen.line('played twice, the same to the byte', { type: 'verified', equal })
    }
  })

const contents = ({ messages, reward }: Transcript): unknown => [messages.map((m) => m.content), reward]

function messageLines({ messages }: Transcript): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    content.split('\n').map((line) => `${role === 'user' ? '>' : '<'} ${printable(line, 1000)}`),
  )
}

function freshChallenge(env: string): string {
  const none = '0'.repeat(64)
  const secret = randomBytes(32).toString('hex')
  const parts = { genesis: none, netuid: 0, env, specHash: specHash(env), duel: none, validator: '', epoch: 0 }
  return challengeId({ ...parts, beacon: none, secret, index: 0 })
}

function agentOf(who: string, model: string, replyMs: number): Agent {
  if (who === 'human') return human()
  if (who === 'perfect' || who === 'random') {
    const player = { skill: who === 'perfect' ? 1 : 0, seed: randomBytes(8).toString('hex') }
    return async (messages) => ({ content: playerReply(messages.at(-1)?.content ?? '', player) })
  }
  if (!/^https?:\/\//.test(who) || !URL.canParse(who)) {
    throw new RangeError(`"--agent" expected human, perfect, random or a URL, got ${JSON.stringify(who)}`)
  }
  return minerClient({ url: who, model }, 1, Date.now).agent(replyMs, interrupted())
}

const recorded = (replies: readonly string[]): Agent => {
  const left = [...replies]
  return async () => ({ content: left.shift() ?? '' })
}

/** Shows each prompt and reads one line. The end of input is no reply. */
function human(): Agent {
  const input = createInterface({ input: process.stdin, output: process.stderr, prompt: '< ' })
  input.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const lines = input[Symbol.asyncIterator]()
  return async (messages) => {
    process.stderr.write(`\n${messages.at(-1)?.content ?? ''}\n`)
    input.prompt()
    const { value, done } = await lines.next()
    return done ? { fault: 'no-reply' } : { content: value }
  }
}
