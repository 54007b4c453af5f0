import { printCopies } from './copies.ts'
import { printCrown } from './crown.ts'
import { printEvictions } from './evictions.ts'
import { printGameFalseWins, printRatio } from './false-wins.ts'
import { printHold } from './hold-cost.ts'
import { printNearest } from './nearest.ts'
import { printGamePower, printPower, printTies } from './power.ts'
import { printQueue } from './queue.ts'
import { printSpeed } from './speed.ts'
import { printYears } from './years.ts'

/** The parts by name. `--all` plays ten times as many duels in most of them. */
const PARTS: Readonly<Record<string, () => void | Promise<void>>> = {
  speed: printSpeed,
  hold: printHold,
  ratio: printRatio,
  power: printPower,
  ties: printTies,
  games: () => {
    printGameFalseWins()
    printGamePower()
  },
  years: printYears,
  queue: printQueue,
  evictions: printEvictions,
  crown: printCrown,
  nearest: printNearest,
  copies: printCopies,
}

const names = process.argv.slice(2).filter((word) => word !== '--all')
const unknown = names.find((part) => !Object.hasOwn(PARTS, part))
if (unknown !== undefined) {
  console.error(`expected --all and some of ${Object.keys(PARTS).join(', ')}, got ${unknown}`)
  process.exit(2)
}
for (const part of names.length > 0 ? names : Object.keys(PARTS)) {
  const before = process.cpuUsage()
  await PARTS[part]?.()
  console.log(`\n${part}: ${(process.cpuUsage(before).user / 1e6).toFixed(0)} s of a processor`)
}
