// Creates a subnet on the development chain at SUBTENSOR_ENDPOINT for a test in another language.
// Prints its netuid, and the secret seeds of its validator and its miner.
import { randomBytes } from 'node:crypto'
import { account } from '../src/index.ts'
import { prepareSubnet } from './dev-subnet.ts'

const seeds = new Map<string, string>()
const newAccount = () => {
  const seed = randomBytes(32)
  const made = account(seed)
  seeds.set(made.hotkey, seed.toString('hex'))
  return made
}
const url = process.env.SUBTENSOR_ENDPOINT ?? ''
const { netuid, validators, miners, close } = await prepareSubnet(url, {
  validators: 1,
  miners: 1,
  newAccount,
})
await close()
const [validator, miner] = [...validators, ...miners].map(({ hotkey }) => seeds.get(hotkey))
console.log(JSON.stringify({ netuid, validator, miner }))
