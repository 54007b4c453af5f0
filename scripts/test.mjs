// `npm test`: installs, builds, checks and tests. `--all` also runs slow tests, and tests that need
// Chromium, Python or Ceph, but not the demo, which `.ci/run` checks. The last line is `N passed, N
// failed`.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, pnpmCommand } from './pnpm.mjs'

const words = process.argv.slice(2)
if (words.some((word) => word !== '--all')) {
  console.error(`expected --all or nothing, got ${words.join(' ')}`)
  process.exit(2)
}
const all = words.length > 0
/** The Python of a virtual environment in which `python[test]` is installed. */
const python = process.env.TEST_PYTHON
if (all && !existsSync(process.env.CHROMIUM_PATH ?? '/usr/bin/chromium')) {
  console.error('no Chromium: install it, or name it in CHROMIUM_PATH')
  process.exit(1)
}
if (all && !python) {
  console.error('TEST_PYTHON expected the Python of an environment with python[test], got nothing')
  process.exit(1)
}

install()
const scratch = mkdtempSync(join(tmpdir(), 'affine-test-'))
const [counts, moreCounts] = ['tests', 'more-tests'].map((name) => join(scratch, `${name}.json`))
const pytestCounts = join(scratch, 'pytest.xml')
const pytest = [python, '-m', 'pytest', '-q', `--junitxml=${pytestCounts}`, 'python']
const bin = (name) => join('node_modules', '.bin', name)
// turbo needs pnpm on the PATH, and npx puts it there.
const turbo = [...pnpmCommand, 'exec', 'turbo', 'run']
/** Number of concurrent steps: one per processor, since many steps use only one. */
const atOnce = Math.max(2, availableParallelism())
/** Returns the command that runs the tests of these projects and writes the results to `file`. */
const vitest = (projects, file) => [
  ...[bin('vitest'), 'run', ...projects.map((name) => `--project=${name}`)],
  ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
]
/**
 * The stages run one after the other, and the steps of a stage concurrently: the longest first, so
 * that the last ones end at the same time.
 */
const stages = [
  { build: [...turbo, 'build', ...(all ? ['types'] : []), '--output-logs=errors-only'] },
  {
    // A separate run: in one run Vitest would start the machine tests first, and on two processors
    // the long ones would leave one worker for all others.
    ...(all && { 'more tests': vitest(['machine', 'chromium'], moreCounts) }),
    tests: vitest(['node', 'alone'], counts),
    ...(all && {
      'packages and releases, in a copy, on a local registry': [
        process.execPath,
        'scripts/check-release.mjs',
      ],
      "Python's tests": pytest,
      'conformance of affine-verify': [
        ...[process.execPath, 'scripts/conformance.mjs', '--'],
        ...[python, '-m', 'affine_verify.main'],
        ...['{}/buckets', '--network', '{}/chain.jsonl', '--json'],
      ],
      'simulated subnets': [...pnpmCommand, 'simulate', '--seeds', '0..2'],
      'regular expressions': [
        process.execPath,
        ...['--conditions=@affine/source', '--import', 'tsx', 'scripts/regexes.mjs'],
      ],
      'one more environment, kind of bucket and kind of chain, in a copy': [
        process.execPath,
        'scripts/check-additions.mjs',
      ],
      'API pages': [bin('typedoc'), '--logLevel', 'Warn'],
      "Python's types": [python, '-m', 'mypy', '--config-file=python/pyproject.toml', 'python'],
      "Python's lint": [python, '-m', 'ruff', 'check', 'python'],
      "Python's format": [python, '-m', 'ruff', 'format', '--check', 'python'],
      "compose.yaml's shape": [
        python,
        '-m',
        'check_jsonschema',
        '--builtin-schema=vendor.compose-spec',
        'deploy/compose.yaml',
      ],
    }),
    ...(!all && {
      'the demo, and tampering with its evidence': [process.execPath, 'scripts/check-demo.mjs'],
    }),
    types: [bin('tsc')],
    'lint and format': [bin('biome'), 'check', '--error-on-warnings', '.'],
    'width of lines': [process.execPath, 'scripts/width.mjs'],
    'phrases to replace': [process.execPath, 'scripts/prose.mjs'],
    boundaries: [process.execPath, 'scripts/boundaries.mjs'],
    'names of types': [process.execPath, 'scripts/names.mjs'],
    'no code reads messages': [process.execPath, 'scripts/messages.mjs'],
    'attacks and their tests': [process.execPath, 'scripts/attacks.mjs'],
    "GitHub's workflows": [process.execPath, 'scripts/workflows.mjs'],
    'size of the page': [process.execPath, 'scripts/size.mjs'],
    'unused code and dependencies': [bin('knip')],
    'workspace consistency': [bin('sherif')],
  },
]

let passed = 0
let failed = 0
/** Failures, printed again at the end: a step's output may be far above. */
const failures = []

/** Runs a step. Prints its output when it ends, or as it comes if it is the first of its stage. */
async function run([name, [program, ...args]], isFirst) {
  const start = Date.now()
  const title = `\n── ${name}\n`
  if (isFirst) process.stdout.write(title)
  const child = spawn(program, args, {
    stdio: ['ignore', ...Array(2).fill(isFirst ? 'inherit' : 'pipe')],
  })
  const printed = []
  for (const output of [child.stdout, child.stderr])
    output?.on('data', (chunk) => printed.push(chunk))
  const code = await new Promise((resolve) => child.once('error', resolve).once('close', resolve))
  if (!isFirst) process.stdout.write(Buffer.concat([Buffer.from(title), ...printed]))
  if (code instanceof Error) console.error(code.message)
  console.log(`   ${Math.round((Date.now() - start) / 1000)} s`)
  if (code === 0) passed += 1
  else failed += 1
  if (code !== 0) failures.push(name)
}

for (const steps of stages) {
  const waiting = Object.entries(steps)
  const [first] = waiting
  const inTurn = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) await run(step, step === first)
  }
  await Promise.all(Array.from({ length: atOnce }, inTurn))
}
for (const file of [counts, moreCounts].filter((file) => existsSync(file))) {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'))
  passed += numPassedTests
  failed += numFailedTests
  for (const { name, message, assertionResults } of testResults) {
    if (message) failures.push(`${name}: ${message}`)
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'failed') failures.push(`${name}: ${fullName}: ${failureMessages[0]}`)
  }
}
if (existsSync(pytestCounts)) {
  const suite = /<testsuite .*?>/.exec(readFileSync(pytestCounts, 'utf8'))?.[0] ?? ''
  const count = (name) => Number(new RegExp(` ${name}="([0-9]+)"`).exec(suite)?.[1])
  const bad = count('failures') + count('errors')
  passed += count('tests') - bad - count('skipped')
  failed += bad
}
rmSync(scratch, { recursive: true })
for (const failure of failures) console.log(`\n── FAILED: ${failure.slice(0, 2000)}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
