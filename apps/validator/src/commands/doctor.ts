import { ChainError } from '@affine/chain'
import { openChain, type Subnet } from '@affine/settlement'
import { maskUrls, onChain, output, printable } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { accountOf, accountOnChain } from '../service/account.ts'
import { checkBucket } from './doctor/bucket-check.ts'
import { checkAnswer, checkClock, checkWeightsWay } from './doctor/chain-checks.ts'
import { type Finding, fail, ok } from './doctor/finding.ts'
import { seatOf } from './doctor/seat.ts'
import { checkLastWeights, checkMiner, checkValidator } from './doctor/seat-checks.ts'

const MARKS = { ok: 'ok', warn: '! ', fail: '✘ ' }

/** `af doctor`: is everything there that a validator or a miner needs? */
export const doctor: CommandUnknownOpts = accountOnChain('doctor')
  .description(
    'check what a validator or a miner needs: ' +
      '"✘" must be mended (then it exits with 1), "!" perhaps not',
  )
  .option(
    '--buckets <folder|url>',
    "where the buckets announced by name are (default: the hotkey's own is not looked at)",
  )
  .addHelpText('after', '\nExample:\n  $ af doctor --network finney --wallet cold --hotkey hot')
  .action(async ({ buckets, ...options }) => {
    const { hotkey } = await accountOf(options)
    const screen = output(options.json)
    const say = (finding: Finding): void => {
      const { check, result } = finding
      if (result === 'fail') process.exitCode = 1
      const text = printable(maskUrls(textOf(finding)), 1000)
      const line = `${MARKS[result]} ${check.padEnd(12)} ${text}`
      screen.line(line, { type: 'check', check, result, text })
    }
    try {
      await onChain(openChain, options, async (subnet) => {
        for await (const finding of examine(subnet, hotkey, buckets)) say(finding)
      })
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      say(fail('chain', error.message))
    }
  })

function textOf({ found, advice }: Finding): string {
  if (advice === undefined) return found
  return `${found}: ${advice}`
}

/** What each check finds, one after the other: of a hotkey that is not registered, nothing more. */
async function* examine(
  { chain, network }: Subnet,
  hotkey: string,
  base: string | undefined,
): AsyncGenerator<Finding> {
  const asked = Date.now()
  const snapshot = await chain.snapshot((await chain.head()).number)
  const answered = Date.now()
  const { number: block } = snapshot.head
  const age = Math.round((answered - (await chain.time(block))) / 1000)
  yield checkAnswer(chain, snapshot, answered - asked)
  yield checkClock(age)
  yield checkWeightsWay(snapshot)

  const seat = seatOf(hotkey, snapshot)
  if (seat === undefined) {
    yield fail('registered', `${hotkey} is not`, `register it on subnet ${chain.netuid}`)
    return
  }
  yield ok('registered', `${hotkey} is uid ${seat.neuron.uid}`)
  const { said } = seat
  if (said?.kind === 'miner') return yield* checkMiner(seat)
  yield* checkValidator(seat)
  yield checkLastWeights(seat, block, network.protocol.epochBlocks)
  yield await checkBucket(hotkey, said, base)
}
