import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { type Agent, make, play, registry, specHash } from '@affine/envs'
import { interrupted, output, printable } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { openPlayer, type Player, soloChallenge } from '../solo.ts'

const AGENT = 'human, perfect, random, a skill as 0.7, or the URL of an OpenAI-compatible endpoint'
const EXAMPLES = `
Examples:
  $ af env run tictactoe-v0
  $ af env run mult8-v0 --agent perfect --verify
  $ af env run mult8-v0 --agent http://127.0.0.1:8001/v1`

/** `af env`: look at the environments and play them. */
export const env: CommandUnknownOpts = new Command('env').description('list environments, and play one')

env
  .command('list')
  .description('the registered environments')
  .option('--json', 'one JSON object a line')
  .addHelpText('after', '\nExample:\n  $ af env list')
  .action(({ json }) => {
    for (const { id, difficulty, maxSteps, replyMs } of registry.values()) {
      const record = { id, difficulty, maxSteps, replyMs, specHash: specHash(id) }
      const replies = maxSteps === 1 ? 'one reply' : `at most ${maxSteps} replies`
      output(json).line(`${id.padEnd(18)} ${replies} of ${replyMs / 1000} s, specHash ${record.specHash}`, record)
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
  .addHelpText('after', EXAMPLES)
  .action(async (name, { challenge, agent: who, model, verify, json }) => {
    const screen = output(json)
    const env = make(name)
    const id = challenge ?? soloChallenge(env.spec.id, randomBytes(32).toString('hex'), 0)
    const person = who === 'human'
    const open = () =>
      openPlayer(who, randomBytes(8).toString('hex'), { model, giveUpMs: 60_000, signal: interrupted() })
    using player = person ? human() : await open()
    const { messages, reward, fault } = await play(env, id, player.agent(env.spec.replyMs))
    const said = messages.map(({ role, content }) => `${role === 'user' ? '>' : '<'} ${printable(content, 2000)}`)
    const end = `reward ${reward}${fault === undefined ? '' : `, forfeited: ${fault}`}`
    const record = { type: 'episode', env: env.spec.id, challengeId: id, messages, reward, fault }
    screen.line([`challenge ${id}`, ...(person ? [] : said), end].join('\n'), record)
    if (!verify) return
    const replies = messages.filter(({ role }) => role === 'assistant').values()
    const again: Agent = async () => replies.next().value ?? { fault: 'no-reply' }
    const second = await play(env, id, person ? again : player.agent(env.spec.replyMs))
    const bytes = (list: typeof messages): string => JSON.stringify(list.map(({ content }) => content))
    const equal = bytes(second.messages) === bytes(messages) && second.reward === reward
    if (!equal) throw new Error('played twice, the episode differs: the player is not deterministic')
    screen.line('played twice, the same to the byte', { type: 'verified', equal })
  })

/** Shows each prompt and reads one line. The end of input is no reply. */
function human(): Player {
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
