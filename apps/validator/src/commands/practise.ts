import { randomBytes } from 'node:crypto'
import { digestContent } from '@affine/duel'
import { createExercises, resolveEnvironments } from '@affine/miners'
import { estimateProspects, formatProspects, PastChallenges } from '@affine/report'
import { NETWORK_HELP, openChain, recompute, type Subnet } from '@affine/settlement'
import {
  FIRST_EPOCH,
  interrupted,
  NETUID,
  networkOption,
  output,
  shareOption,
  whole,
  withChain,
} from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { playPractice, printEnvironment, type Session } from './practise/session.ts'
import { BUCKETS, prepareReplay, type ReplayOptions } from './replay.ts'
import { createSoloCommand, createStrengthOption, expectGame, PLAYER } from './solo.ts'

const NETWORK =
  'play past challenges of the champion of this network, except games, and compare with the ' +
  `recorded results of the champion: ${NETWORK_HELP}`

/** Options that need `--network`. */
const NETWORK_OPTIONS = ['netuid', 'firstEpoch', 'buckets', 'last']

const AT_LEAST =
  'exit with 1 if a smaller share of challenges, 0 to 1, is won or perfect in some environment; ' +
  'with --network, if the probability of beating the champion is smaller'

const EXAMPLES = `  $ af practise http://127.0.0.1:8001/v1 --challenges 200 --resume p.jsonl
  $ af practise http://127.0.0.1:8001/v1 --env mult8-v0 --at-least 0.9
  $ af practise http://127.0.0.1:8001/v1 --env hex-v0 --strength 0.5
  $ af practise http://127.0.0.1:8001/v1 --network finney`

export const practise: CommandUnknownOpts = createSoloCommand('practise', EXAMPLES)
  .argument('<player>', PLAYER)
  .option('--challenges <n>', 'the number of challenges in each environment', whole(1, 1e5), 100)
  .option('--resume <file>', 'store results in this file, and continue the practice in it')
  .addOption(createStrengthOption().default(1))
  .option('--at-least <share>', AT_LEAST, shareOption)
  .addOption(networkOption(NETWORK).conflicts(['env', 'strength']))
  .addOption(NETUID)
  .addOption(FIRST_EPOCH)
  .addOption(BUCKETS)
  .option(
    '--last <epochs>',
    'with --network: the number of newest epochs to take challenges from',
    whole(1, 1e6),
    8,
  )
  .action(async (player, { env, network, ...options }, command) => {
    const common = { ...options, player }
    if (network === undefined) {
      expectNoNetworkOption(command)
      const session = { ...common, screen: output(options.json), signal: interrupted() }
      return practiseAlone(resolveEnvironments(env), session)
    }
    await withChain(openChain, { ...options, network }, async (subnet, screen, signal) => {
      const throne = await readChampion(subnet, options, options.challenges)
      await practiseAgainst(throne, { ...common, screen, signal })
    })
  })

/** @throws RangeError if the command line has an option that is ignored without `--network`. */
function expectNoNetworkOption(command: CommandUnknownOpts): void {
  const name = NETWORK_OPTIONS.find((each) => command.getOptionValueSource(each) === 'cli')
  const option = command.options.find((each) => each.attributeName() === name)
  if (option !== undefined) throw new RangeError(`"${option.long}" needs "--network"`)
}

async function practiseAlone(envs: readonly string[], session: Session): Promise<void> {
  const { challenges, strength, atLeast = 0 } = session
  if (strength < 1) expectGame(envs)
  const secret = randomBytes(32).toString('hex')
  const exercises = createExercises(envs, secret, challenges)
  const played = await playPractice({ envs }, exercises, session)
  const shares = envs.map((env) => printEnvironment(env, played, session))
  if (Math.min(...shares) < atLeast) process.exitCode = 1
}

/** Plays past challenges of the champion, without asking the champion. */
async function practiseAgainst(throne: ChampionFacts, session: Session): Promise<void> {
  const { atLeast = 0, screen } = session
  const envs = Object.keys(throne.protocol.envs)
  const against = digestContent(throne.champion)
  const played = await playPractice({ envs, against }, throne.exercises, session)
  for (const env of envs) printEnvironment(env, played, session)
  const prospects = estimateProspects(played, throne)
  const { hotkey: champion } = throne.champion
  screen.line(formatProspects(prospects), { type: 'prospects', champion, ...prospects })
  if (prospects.dethrones.middle < atLeast) process.exitCode = 1
}

type ChampionFacts = Awaited<ReturnType<typeof readChampion>>

/**
 * Reads the champion of a subnet, and at most `maxPerEnv` of its past challenges in each
 * environment, from chain and buckets.
 * @throws Error if there is no champion, or no recorded one-player challenge of the champion.
 */
async function readChampion(subnet: Subnet, options: ReplayOptions, maxPerEnv: number) {
  const past = new PastChallenges(maxPerEnv)
  const replay = await prepareReplay(subnet, options, past.add.bind(past))
  let state = replay.from
  for await (const settled of recompute(replay)) {
    past.finish(settled)
    state = settled.state
  }
  const { champion, ratio: ratioPpm } = state
  if (champion === undefined) throw new Error('there is no champion yet')
  const { protocol } = subnet.network
  const all = Object.entries(protocol.envs)
  const envs = Object.fromEntries(all.filter(([, { players }]) => players === 1))
  const exercises = past
    .of(champion)
    .filter(({ env }) => envs[env] !== undefined)
    .map(({ reward, ...each }) => ({ ...each, champion: reward }))
  // The rules of a duel that starts now, with only the environments of one player.
  if (exercises.length > 0)
    return { champion, ratioPpm, protocol: { ...protocol, envs }, exercises }
  const found = `these epochs have no one-player challenge of the champion ${champion.hotkey}`
  throw new Error(`${found}: read more epochs with --last, or wait for its first duel`)
}
