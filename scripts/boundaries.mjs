// Dependencies point one way. Fails when a file imports what its package may not, and when no file
// was looked at.
import { execFileSync } from 'node:child_process'

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
if (sources.length < 40 || linked.length < 40 || summary.violations.length > 0) process.exit(1)
