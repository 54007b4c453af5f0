import { randomBytes } from 'node:crypto'
import { contentOf } from '@affine/duel'
import { make } from '@affine/envs'
import { environmentsNamed, soloChallenge } from '@affine/miners'
import { prospectsOf, prospectsText } from '@affine/report'
import { NETWORK_HELP, openChain } from '@affine/settlement'
import {
  FIRST_EPOCH,
  interrupted,
  NETUID,
  networkOption,
  onChain,
  output,
  shareOption,
  whole,
} from '@affine/terminal'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { soloCommand, strengthOption } from '../solo/solo-command.ts'
import { playPractice, type Session, sayEnvironment } from './practise/session.ts'
import { type Throne, throneOf } from './practise/throne.ts'
import { BUCKETS } from './replay.ts'

const PLAYER = "an OpenAI-compatible endpoint's URL; or perfect, random, or a skill such as 0.7"

const AGAINST = new Option(
  '--against',
  'play past challenges of the champion, and compare with its results; only the player is asked',
).conflicts(['env', 'strength'])

const NOT_COMPARED =
  'not compared, because in a game each reply answers a move of the opponent: what the champion ' +
  'replied to another miner says nothing about its game with yours. Without --against, games are ' +
  'played against a scripted opponent'

/** The options that mean nothing without `--against`. */
const OF_AGAINST = ['network', 'netuid', 'firstEpoch', 'buckets', 'last']

const AT_LEAST =
  'exit with 1 if, in some environment, a smaller share of the challenges, 0 to 1, is played ' +
  'perfectly or won; with --against, if the player dethrones the champion with a smaller ' +
  'probability'

const EXAMPLES = `
Examples:
  $ af practise http://127.0.0.1:8001/v1 --challenges 200 --resume practice.jsonl
  $ af practise http://127.0.0.1:8001/v1 --env mult8-v0 --at-least 0.9
  $ af practise http://127.0.0.1:8001/v1 --env hex-v0 --strength 0.5
  $ af practise http://127.0.0.1:8001/v1 --against --network finney`

/** `af practise`: shows what validators would see of an endpoint. */
export const practise: CommandUnknownOpts = soloCommand('practise')
  .description(
    'ask an endpoint as validators do, and show what it earns, what it forfeits, ' +
      'and what would have been better',
  )
  .argument('<player>', PLAYER)
  .option(
    '--challenges <n>',
    'the number of challenges in each environment',
    whole(1, 100_000),
    100,
  )
  .option(
    '--resume <file>',
    'keep what is played in this file, and continue the practice that was begun there',
  )
  .addOption(strengthOption().default(1))
  .option('--at-least <share>', AT_LEAST, shareOption)
  .addOption(AGAINST)
  .addOption(networkOption(`with --against: the network of the champion: ${NETWORK_HELP}`))
  .addOption(NETUID)
  .addOption(FIRST_EPOCH)
  .addOption(BUCKETS)
  .option(
    '--last <epochs>',
    'with --against: take challenges from this number of newest epochs',
    whole(1, 1e6),
    8,
  )
  .addHelpText('after', EXAMPLES)
  .action(async (player, { env, network, against, ...options }, command) => {
    const asked = { ...options, player }
    if (!against) {
      expectNothingOfAgainst(command)
      const session = { ...asked, screen: output(options.json), signal: interrupted() }
      return practiseAlone(environmentsNamed(env), session)
    }
    if (network === undefined)
      throw new RangeError('--against needs "--network", the network of the champion')
    await onChain(openChain, { ...options, network }, async (subnet, screen, signal) => {
      const throne = await throneOf(subnet, options, options.challenges)
      await practiseAgainst(throne, { ...asked, screen, signal })
    })
  })

/** @throws RangeError for an option, given on the command line, that would be ignored. */
function expectNothingOfAgainst(command: CommandUnknownOpts): void {
  const name = OF_AGAINST.find((each) => command.getOptionValueSource(each) === 'cli')
  const option = command.options.find((each) => each.attributeName() === name)
  if (option !== undefined) throw new RangeError(`"${option.long}" needs "--against"`)
}

/** Plays challenges drawn now. */
async function practiseAlone(envs: readonly string[], session: Session): Promise<void> {
  const { player, model, challenges, strength, atLeast = 0 } = session
  if (strength < 1 && envs.every((env) => make(env).spec.game === undefined))
    throw new RangeError('"--strength" expected a game of two players in "--env"')
  const secret = randomBytes(32).toString('hex')
  const exercises = envs.flatMap((env) =>
    Array.from({ length: challenges }, (_, index) => ({
      env,
      challengeId: soloChallenge(env, secret, index),
    })),
  )
  const played = await playPractice({ player, model, challenges, envs }, exercises, session)
  const wells = envs.map((env) => sayEnvironment(env, played, session))
  if (Math.min(...wells) < atLeast) process.exitCode = 1
}

/** Plays past challenges of the champion, which is not asked itself. */
async function practiseAgainst(throne: Throne, session: Session): Promise<void> {
  const { player, model, challenges, atLeast = 0, screen } = session
  const envs = Object.keys(throne.protocol.envs)
  const practice = { player, model, challenges, envs, against: contentOf(throne.champion) }
  const played = await playPractice(practice, throne.exercises, session)
  for (const env of envs) sayEnvironment(env, played, session)
  for (const env of throne.games)
    screen.line(`${env}: ${NOT_COMPARED}`, { type: 'not compared', env })
  const prospects = prospectsOf(played, throne)
  const { hotkey: champion } = throne.champion
  screen.line(prospectsText(prospects), { type: 'prospects', champion, ...prospects })
  if (prospects.dethrones.middle < atLeast) process.exitCode = 1
}
