import { randomBytes } from 'node:crypto'
import { contentOf, type Miner, type Protocol } from '@affine/duel'
import { type Exercise, environmentsNamed, exercisesOf } from '@affine/miners'
import { PastChallenges, prospectsOf, prospectsText } from '@affine/report'
import { NETWORK_HELP, openChain, recompute, type Subnet } from '@affine/settlement'
import {
  FIRST_EPOCH,
  interrupted,
  NETUID,
  networkOption,
  onChain,
  output,
  shareOption,
  whole,
  wholePath,
} from '@affine/terminal'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { playPractice, type Session, sayEnvironment } from './practise/session.ts'
import { BUCKETS, type ReplayOptions, replayOf } from './replay.ts'
import { expectGame, PLAYER, soloCommand, strengthOption } from './solo.ts'

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
    (path) => wholePath(path, 'resume'),
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
  if (strength < 1) expectGame(envs)
  const secret = randomBytes(32).toString('hex')
  const exercises = exercisesOf(envs, secret, challenges)
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

/** A subnet's throne today, and challenges that its champion has played. */
interface Throne {
  readonly champion: Miner
  /** The ratio that a contender has to beat. */
  readonly ratioPpm: number
  /** The rules of a duel that starts now, in the environments of one player. */
  readonly protocol: Protocol
  /** The environments of two players. */
  readonly games: readonly string[]
  readonly exercises: readonly Exercise[]
}

/**
 * The throne of a subnet, with at most `most` past challenges of each environment. It reads
 * only chain and buckets.
 * @throws Error when there is no champion, or no challenge of it is recorded.
 */
async function throneOf(subnet: Subnet, options: ReplayOptions, most: number): Promise<Throne> {
  const past = new PastChallenges(most)
  const replay = await replayOf(subnet, options, past.add.bind(past))
  let state = replay.from
  for await (const settled of recompute(replay)) {
    past.finish(settled)
    state = settled.state
  }
  const { champion, ratio: ratioPpm } = state
  if (champion === undefined) throw new Error('the throne is empty: there is no champion yet')
  const { protocol } = subnet.network
  const all = Object.entries(protocol.envs)
  const envs = Object.fromEntries(all.filter(([, { players }]) => players === 1))
  const games = Object.keys(protocol.envs).filter((env) => envs[env] === undefined)
  const exercises = past
    .of(champion)
    .filter(({ env }) => envs[env] !== undefined)
    .map(({ reward, ...each }) => ({ ...each, champion: reward }))
  if (exercises.length > 0)
    return { champion, ratioPpm, protocol: { ...protocol, envs }, games, exercises }
  const found = `no challenge of the champion ${champion.hotkey} is recorded in these epochs`
  throw new Error(`${found}: take more with --last, unless it has had no duel yet`)
}
