// Fails if a file has an import that the rules on the direction of dependencies forbid, if an
// application depends on another, or if too few files were checked.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const words = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'packages', 'apps']
let report
try {
  report = execFileSync('node_modules/.bin/depcruise', words, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
} catch (error) {
  report = error.stdout
}
const { summary, modules } = JSON.parse(report)
const sources = modules.filter(({ source }) => /^(packages|apps)\/[^/]+\/src\//.test(source))
const linked = sources
  .flatMap(({ dependencies }) => dependencies)
  .filter(({ resolved }) => /^packages\//.test(resolved))
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`)
console.log(
  `boundaries: ${sources.length} sources, ${linked.length} imports of packages, ` +
    `${summary.violations.length} violations`,
)

// No application may depend on another, except on the page: `af serve` serves its built files, and
// imports no code.
const SERVED = ['@affine/validator needs @affine/explorer']
const manifests = readdirSync('apps').map((name) =>
  JSON.parse(readFileSync(`apps/${name}/package.json`, 'utf8')),
)
const applications = manifests.map(({ name }) => name)
const needs = manifests
  .flatMap(({ name, dependencies = {} }) =>
    Object.keys(dependencies)
      .filter((other) => applications.includes(other))
      .map((other) => `${name} needs ${other}`),
  )
  .filter((need) => !SERVED.includes(need))
for (const need of needs) console.error(`applications-do-not-know-each-other: ${need}`)
if (needs.length > 0) process.exit(1)
if (sources.length < 40 || linked.length < 40 || summary.violations.length > 0) process.exit(1)
