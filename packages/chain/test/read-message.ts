// Reads the longest message that repeats the text of the argument.
import { MAX_MESSAGE, readMessage } from '../src/bittensor/node-message.ts'

const [, , unit = ''] = process.argv
const times = Math.floor((MAX_MESSAGE - 20) / unit.length)
readMessage(`{"result":"${unit.repeat(times)}"}`)
process.stdout.write('read')
