// Runs a part of the tests and benchmarks that are too slow for `npm test`, or by default all:
// `npm run test:long -- <part> <options>`. The low priority keeps other programs fast.
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { install, pnpmCommand, run } from './pnpm.mjs'

const sources = [process.execPath, '--conditions=@affine/source', '--import', 'tsx']
const bin = (name) => join('node_modules', '.bin', name)
/** Returns the command that runs these test files in Node. */
const tests = (...files) => [bin('vitest'), 'run', '--project', 'node', ...files]
const SIMULATION = ['--import', './test/simulate/quick-keys.mjs', 'test/simulate/main.ts']
const ATTACKS = ['quorum-by-absence', 'rivals', 'voters-that-change']
const MUTATED = ['wilson', 'prng', 'blocks', 'duel', 'settlement']
/** The command and the environment variables of each part. */
const PARTS = {
  simulate: { words: [...sources, ...SIMULATION, '--seeds', '0..2000'] },
  duels: {
    words: tests(
      'packages/duel/test/simulation.test.ts',
      ...ATTACKS.map((name) => `test/attacks/${name}.test.ts`),
    ),
    env: { DUELS: '2000' },
  },
  buckets: { words: tests('test/hostile-servers.test.ts'), env: { READS: '80' } },
  recorded: { words: tests('packages/envs/test/recorded.test.ts'), env: { GAMES: '10000' } },
  verdict: { words: tests('test/verdict/orders.test.ts'), env: { HISTORIES: '2000' } },
  differential: {
    words: [bin('vitest'), 'run', '--project', 'machine', 'test/differential'],
    env: { CASES: '100000' },
  },
  sources: {
    words: tests('packages/miners/test/python-agreement.test.ts'),
    env: { MUTANTS: '60000' },
  },
  fuzz: { words: [...sources, 'test/fuzz/main.ts'] },
  kill: {
    words: [bin('vitest'), 'run', '--project', 'machine', 'apps/validator/test/kill'],
    env: { KILLS: '200' },
  },
  bench: {
    words: [bin('turbo'), 'run', 'bench', '--concurrency=1', '--filter=./packages/*'],
  },
  'bench-verify': { words: [...pnpmCommand, 'bench:verify'] },
  ...Object.fromEntries(
    MUTATED.map((name) => [
      `mutate-${name}`,
      { words: [bin('stryker'), 'run'], env: { MUTATE: name } },
    ]),
  ),
}

const [part, ...options] = process.argv.slice(2)
if (part !== undefined && !Object.hasOwn(PARTS, part)) {
  console.error(`expected one of ${Object.keys(PARTS).join(', ')}, got ${part}`)
  process.exit(2)
}
setPriority(15)
install()
for (const [name, { words, env }] of Object.entries(PARTS)) {
  if (part !== undefined && name !== part) continue
  console.log(`\n── ${name}`)
  Object.assign(process.env, env)
  run(...words, ...options)
}
