import { join, resolve } from 'node:path'
import { remoteChain } from '@affine/chain'
import { keyNamed, keysIn, NODE_HOST } from '@affine/settlement/node'
import { interrupted, output, raceAbort, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import { programName } from '../../service/program-name.ts'
import { DEFAULTS, expectChain } from './folder.ts'

/** `af localnet add-miner`: one more key, on a chain that is served. */
export const addMiner: CommandUnknownOpts = new Command('add-miner')
  .description('register one more miner on a local chain that is running')
  .argument('<name>', 'the name of its key, which is made if it is not there', plainName)
  .option(
    '--port <number>',
    'the port at which the chain is served',
    whole(1, 65_535),
    DEFAULTS.port,
  )
  .option('--out <folder>', 'the folder of the keys and the chain', DEFAULTS.out)
  .option('--json', 'print JSON, one object a line')
  .addHelpText('after', '\nExample:\n  $ af localnet add-miner miner-3')
  .action(async (name, _, command) => {
    const { port, out, json } = command.optsWithGlobals() // `af localnet` has taken its own
    expectChain(out)
    const url = `http://127.0.0.1:${port}`
    const signal = interrupted()
    const chain = await raceAbort(remoteChain(url, { fetch: NODE_HOST.fetch }), signal)
    const { hotkey: one } = await keyNamed(out, 'validator-1')
    const { neurons: begun } = await chain.snapshot(0)
    if (begun.every((neuron) => neuron.hotkey !== one))
      throw new RangeError(`"--port" expected the chain of ${resolve(out)}, got another one's`)
    const account = await keyNamed(out, name)
    const { number: block } = await raceAbort(chain.register(account), signal)
    const { hotkey } = account
    const { neurons } = await chain.snapshot(block)
    const uid = neurons.findIndex((neuron) => neuron.hotkey === hotkey)
    const key = join(keysIn(out), name)
    const text = [
      `${name} is uid ${uid} since block ${block}. In another terminal:`,
      `  $ ${programName('af')} miner --port 0 --network ${url} --key ${key}`,
    ].join('\n')
    output(json).line(text, { type: 'registered', hotkey, uid, block, key: resolve(key) })
  })

function plainName(text: string): string {
  if (/^\w[\w.-]*$/.test(text)) return text
  throw new InvalidArgumentError('Expected letters, digits, ".", "_" and "-".')
}
