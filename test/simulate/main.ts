import { parseArgs } from 'node:util'
import { streamOf } from './draw.ts'
import { drawFaults, type Fault } from './faults.ts'
import { simulate } from './simulation.ts'
import { drawWorld, type World } from './world.ts'

// pnpm simulate [--seeds a..b] [--epochs n]: runs a whole subnet for each seed from a up to b,
// without b. Exits with 1 if a promise is broken.
const options = {
  seeds: { type: 'string', default: '0..20' },
  epochs: { type: 'string', default: '10' },
} as const
const { values } = parseArgs({ options })
const [first = Number.NaN, end = Number.NaN] = values.seeds.split('..').map(Number)
const epochs = Number(values.epochs)
if (!(first < end && epochs > 0)) throw new Error('expected --seeds a..b and --epochs n')

/** Resolves with the faults without which `fails` does not resolve with true. */
async function shrink(
  faults: readonly Fault[],
  fails: (faults: readonly Fault[]) => Promise<boolean>,
): Promise<readonly Fault[]> {
  let left = faults
  for (const fault of faults) {
    const others = left.filter((each) => each !== fault)
    if (await fails(others)) left = others
  }
  return left
}

/** Prints the broken promise, and a small list of faults that breaks it. */
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

let [duels, won, failed, frozen, beyond] = [0, 0, 0, 0, 0]
for (let seed = first; seed < end; seed++) {
  const world = drawWorld(seed, epochs)
  const faults = drawFaults(world, streamOf(seed, 'faults'))
  const ran = await simulate(world, faults).catch((cause: Error) => {
    throw new Error(`seed ${seed}: ${cause.message}`, { cause })
  })
  duels += ran.duels.length
  won += ran.duels.filter(({ outcome }) => outcome === 'contender').length
  frozen += ran.frozen
  beyond += Number(ran.isBeyond)
  if (ran.violation === undefined) continue
  failed += 1
  await report(world, faults)
}
console.log(
  `${end - first} seeds, ${duels} duels, ${won} won by contenders, ${frozen} frozen epochs, ` +
    `${beyond} ended early, as liars had a third`,
)
console.log(`${end - first - failed} seeds kept every promise, ${failed} failed`)
if (failed > 0) process.exitCode = 1
