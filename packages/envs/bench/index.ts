import { make } from '../src/index.ts'
import { type CallCost, callsIn, callsOf, callsRow } from './calls.ts'
import { CHALLENGES, DUELS, GAMES } from './counts.ts'
import { type Contest, contestOf, decisionRow } from './decisions.ts'
import { hexMatch, hexRow, SIZES, scoreOf } from './hex-matches.ts'
import { HEX_PLAYERS } from './hex-players.ts'
import { coveredRow, packRewards, packRow, packScore } from './pack-matches.ts'
import { PACK_PLAYERS } from './pack-players.ts'
import { type NamePair, neighboursOf, pairsOf, rateOf } from './share.ts'
import { printSpeed } from './speed.ts'

const parts = process.argv.slice(2).filter((each) => !each.startsWith('--'))
const times = process.argv.includes('--all') ? 10 : 1
const [games, challenges, duels] = [GAMES * times, CHALLENGES * times, DUELS * times]
const hexNames = Object.keys(HEX_PLAYERS)
const packNames = Object.keys(PACK_PLAYERS)

/** Returns `compute` with a cache of its results, because several tables use the same games. */
function once<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<string, Value>()
  return (key) => {
    const value = known.get(String(key)) ?? compute(key)
    known.set(String(key), value)
    return value
  }
}

const matchOf = once((pair: NamePair) => hexMatch(pair, games))
const rewardsOf = once((name: string) => packRewards(name, challenges))
const packScoreOf = ([strong, weak]: NamePair) => packScore(rewardsOf(strong), rewardsOf(weak))

/** Returns the games between players adjacent in strength, without the player `random`. */
const gamesPlayed = () => neighboursOf(hexNames.slice(1)).flatMap(matchOf)
const oneCost = once((name: string) => callsOf(make(`${name}@0.1.0`), challenges))

function printHex(): void {
  console.log(`\nhex, which program beats which: ${games} games on 7 rows, 9 and 11, and all`)
  for (const pair of pairsOf(hexNames)) console.log(hexRow(pair, matchOf(pair)))
}

function printPack(): void {
  console.log(`\npack, ${challenges} challenges: the box's share that is covered; perfect packings`)
  for (const name of packNames) console.log(coveredRow(name, rewardsOf(name)))
  console.log('\npack, which program beats which where they differ, and the share of ties')
  for (const pair of pairsOf(packNames)) console.log(packRow(pair, packScoreOf(pair)))
}

function printCalls(): void {
  const played = gamesPlayed()
  const bySize = SIZES.map((size) => {
    const cost = callsIn(played.filter((game) => game.size === size))
    return [`hex, ${size} rows`, cost] as const
  })
  const others = ['pack', 'tictactoe', 'mult8'].map((name) => [name, oneCost(name)] as const)
  console.log('\na challenge of both miners: calls, tokens asked, tokens replied (characters / 4)')
  for (const [name, cost] of [...bySize, ['hex', callsIn(played)] as const, ...others])
    console.log(callsRow(name, cost))
}

/** Pairs of shares: the challenges that the contender solves, and that the champion solves. */
const SKILLS = [
  [0.6, 0.5],
  [0.96, 0.95],
  [1, 1],
] as const

function printDecisions(): void {
  console.log('\na decision: p, ties; alone: wins, challenges, calls; 4 lanes: the same, a lane')
  const print = (names: readonly string[], contest: Contest, { calls }: CallCost) =>
    console.log(decisionRow(names, contest, { calls, duels }))
  const cost = callsIn(gamesPlayed())
  for (const pair of neighboursOf(hexNames)) {
    const p = rateOf(scoreOf(matchOf(pair)))
    print(['hex', ...pair], { env: 'hex@0.1.0', p, tied: 0 }, cost)
  }
  for (const pair of neighboursOf(packNames)) {
    const { tied, ...score } = packScoreOf(pair)
    print(['pack', ...pair], { env: 'pack@0.1.0', p: rateOf(score), tied }, oneCost('pack'))
  }
  for (const name of ['tictactoe', 'mult8'])
    for (const [contender, champion] of SKILLS) {
      const contest = contestOf(`${name}@0.1.0`, contender, champion)
      print([name, `${contender}`, `${champion}`], contest, oneCost(name))
    }
}

const PARTS: Readonly<Record<string, () => void | Promise<void>>> = {
  speed: printSpeed,
  pack: printPack,
  hex: printHex,
  calls: printCalls,
  decisions: printDecisions,
}

for (const part of parts.length > 0 ? parts : Object.keys(PARTS)) await PARTS[part]?.()
