import { parseArgs } from 'node:util'
import { drawFaults } from './faults.ts'
import { simulate } from './simulation.ts'
import { drawWorld, streamOf } from './world.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '0..20' },
    epochs: { type: 'string', default: '10' },
    calm: { type: 'boolean', default: false },
  },
})
const [first = 0, end = first + 1] = values.seeds.split('..').map(Number)
for (let seed = first; seed < end; seed++) {
  const world = drawWorld(seed, Number(values.epochs))
  const faults = values.calm ? [] : drawFaults(world, streamOf(seed, 'faults'))
  const began = performance.now()
  const ran = await simulate(world, faults)
  console.log(
    seed,
    world.validators.length,
    world.miners.length,
    faults.length,
    ran.violation?.message ?? 'holds',
    ran.frozen,
    JSON.stringify(ran.duels.map((d) => [d.rate.toFixed(2), d.outcome])),
    ran.end.slice(0, 6),
    Math.round(performance.now() - began),
  )
}
