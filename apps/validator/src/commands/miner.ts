import { once } from 'node:events'
import { encodeCommitment, remoteChain } from '@affine/chain'
import { interrupted, output } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { serveMiner } from '../reference-miner.ts'
import { readKey, shareOption, whole } from './options.ts'

const EXAMPLES = `
Examples:
  $ af miner --skill 0.8 --port 8001
  $ af miner --chain http://127.0.0.1:9944 --key localnet/keys/miner-1`

/** `af miner`: a reference miner behind HTTP. */
export const miner: CommandUnknownOpts = new Command('miner')
  .description('serve a reference miner: an OpenAI-compatible endpoint of a chosen skill')
  .option('--skill <share>', "the share of replies that are a perfect player's, 0 to 1", shareOption, 0.8)
  .option('--seed <text>', 'of its luck: the same seed answers the same prompt alike', 'miner')
  .option('--port <number>', '0 takes any that is free', whole(0, 65_535), 8001)
  .option('--chain <url>', 'a local chain to commit the miner to; needs --key')
  .option('--key <file>', "the miner's key")
  .option('--json', 'one JSON object a line')
  .addHelpText('after', EXAMPLES)
  .action(async ({ skill, seed, port, chain, key, json }) => {
    if ((chain === undefined) !== (key === undefined)) throw new RangeError('"--chain" and "--key" go together')
    const screen = output(json)
    const signal = interrupted()
    using server = await serveMiner({ skill, seed }, port)
    const url = `${server.url}/v1`
    screen.line(`serving ${url}, skill ${skill}; Ctrl-C ends it`, { type: 'serving', url, skill })
    if (chain !== undefined && key !== undefined) {
      const account = await readKey(key)
      const model = `affine/reference-${account.hotkey}`
      const fields = encodeCommitment({ kind: 'miner', model, revision: 'main', chute: url })
      const { number } = await (await remoteChain(chain)).commit(account, fields)
      screen.line(`committed ${model} in block ${number}`, { type: 'committed', model, block: number })
    }
    if (!signal.aborted) await once(signal, 'abort')
    signal.throwIfAborted()
  })
