import { parseArgs } from 'node:util'
import type { DuelEnd } from './check.ts'
import { streamOf } from './draw.ts'
import { drawFaults, type Fault } from './faults.ts'
import { shrink } from './shrink.ts'
import { simulate } from './simulation.ts'
import { drawWorld, type World } from './world.ts'

// pnpm simulate [--seeds a..b] [--epochs n]: runs a whole subnet for each seed. Exits with 1 if a
// promise is broken.

const { first, end, epochs } = readWords()

/** Reads the options. Ends the process with 2 if they are wrong. */
function readWords(): Record<'first' | 'end' | 'epochs', number> {
  try {
    const options = {
      seeds: { type: 'string', default: '0..20' },
      epochs: { type: 'string', default: '10' },
    } as const
    const { values } = parseArgs({ options })
    const [, first = 0, end = 0] = /^(\d+)\.\.(\d+)$/.exec(values.seeds)?.map(Number) ?? []
    const epochs = Number(values.epochs)
    if (first < end && Number.isSafeInteger(end) && Number.isSafeInteger(epochs) && epochs > 0)
      return { first, end, epochs }
  } catch {}
  console.error('expected --seeds a..b, the seeds from a up to b without b, and --epochs n')
  process.exit(2)
}

/** Prints the broken promise, and a minimal list of faults that breaks it. */
async function report(world: World, faults: readonly Fault[]): Promise<void> {
  const { violation } = await simulate(world, faults)
  console.log(`seed ${world.seed}: ${JSON.stringify(violation)}`)
  const few = await shrink(faults, async (some) => {
    const again = await simulate(world, some)
    return again.violation?.promise === violation?.promise
  })
  const smallest = await simulate(world, few)
  console.log(
    `  with ${few.length} of ${faults.length} faults: ${JSON.stringify(smallest.violation)}`,
  )
  for (const fault of few) console.log(`  ${JSON.stringify(fault)}`)
}

/** Maximum share of winners among contenders no better than the ratio. */
const FALSE_MOST = 0.05
/** Minimum share of winners among far better contenders. */
const RIGHT_LEAST = 0.9
/** Reports whether most challenges are decisive and the contender wins nearly all of these. */
const isFarBetter = ({ decisive, rate }: DuelEnd): boolean => decisive >= 0.5 && rate >= 0.95

/**
 * Returns the totals of the duels of all seeds: `falsely` of contenders no better than the ratio;
 * `rightly` of far better contenders whose duel had no epoch in which a third of the weight lied or
 * had trouble; and a sentence for each broken promise.
 */
function totalsOf(duels: readonly DuelEnd[]) {
  const falsely = shareOf(duels.filter(({ rate, ratio }) => rate <= ratio))
  const rightly = shareOf(duels.filter((each) => !each.isTroubled && isFarBetter(each)))
  const broken: string[] = []
  if (falsely.count > maxCount(falsely.of, FALSE_MOST))
    broken.push(`${falsely.count} of ${falsely.of} won falsely`)
  if (rightly.of - rightly.count > maxCount(rightly.of, 1 - RIGHT_LEAST))
    broken.push(`only ${rightly.count} of ${rightly.of} far better ones won`)
  return { falsely, rightly, broken }
}

const shareOf = (duels: readonly DuelEnd[]) => ({
  of: duels.length,
  count: duels.filter(({ outcome }) => outcome === 'contender').length,
})

/**
 * Returns a count that a binomial exceeds once in a few thousand times: 3.5 standard deviations.
 */
const maxCount = (trials: number, rate: number): number =>
  trials * rate + 3.5 * Math.sqrt(trials * rate * (1 - rate)) + 1

const duels: DuelEnd[] = []
let [failed, frozen, beyond] = [0, 0, 0]
for (let seed = first; seed < end; seed++) {
  const world = drawWorld(seed, epochs)
  const faults = drawFaults(world, streamOf(seed, 'faults'))
  const ran = await simulate(world, faults).catch((cause: Error) => {
    throw new Error(`seed ${seed}: ${cause.message}`, { cause })
  })
  duels.push(...ran.duels)
  frozen += ran.frozen
  beyond += Number(ran.isBeyond)
  if (ran.violation === undefined) continue
  failed += 1
  await report(world, faults)
}
const { falsely, rightly, broken } = totalsOf(duels)
console.log(
  `${end - first} seeds, ${duels.length} duels, ${frozen} frozen epochs, ${beyond} ended early, as liars had a third; ` +
    `${falsely.count} of ${falsely.of} contenders no better than the ratio won, ` +
    `${rightly.count} of ${rightly.of} far better ones`,
)
for (const text of broken) console.log(text)
console.log(`${end - first - failed} seeds kept every promise, ${failed} failed`)
if (failed > 0 || broken.length > 0) process.exitCode = 1
