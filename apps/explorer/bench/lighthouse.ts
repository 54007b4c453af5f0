// Prints Lighthouse's scores for the built page, served compressed. npx downloads
// Lighthouse, because nothing else needs it.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { EXECUTABLE } from '../test/browser.ts'
import { runDemo } from '../test/demo.ts'
import { serveCompressed } from './compressed.ts'
import { median } from './measure.ts'

const LEAST = 0.95
const ROUNDS = 3
const CHROME = '--headless=new --no-sandbox --disable-gpu --disable-quic --disable-sync'

const scoreText = (score: number): string => `${Math.round(100 * score)}`

/** The printed part of Lighthouse's report. */
interface LighthouseReport {
  readonly categories: Readonly<Record<string, { readonly title: string; readonly score: number }>>
}

await using demo = await runDemo()
using served = await serveCompressed(demo.out)
const folder = await mkdtemp(join(tmpdir(), 'lighthouse-'))
const rounds: LighthouseReport['categories'][] = []
for (let round = 0; round < ROUNDS; round++) rounds.push(await scoresOf(served.url))
await rm(folder, { recursive: true })
for (const [id, { title }] of Object.entries(rounds[0] ?? {})) {
  const scores = rounds.map((round) => round[id]?.score ?? 0)
  const score = median(scores)
  console.log(`${title}: ${scoreText(score)}, the median of ${scores.map(scoreText).join(', ')}`)
  if (score < LEAST) process.exitCode = 1
}
console.log(`expected: each at least ${scoreText(LEAST)}, on a machine that does nothing else`)

async function scoresOf(url: string): Promise<LighthouseReport['categories']> {
  const file = join(folder, 'report.json')
  const words = [url, '--quiet', '--output=json', `--output-path=${file}`]
  const env = { ...process.env, CHROME_PATH: EXECUTABLE }
  await promisify(execFile)('npx', ['-y', 'lighthouse@12', ...words, `--chrome-flags=${CHROME}`], {
    env,
  })
  const { categories }: LighthouseReport = JSON.parse(await readFile(file, 'utf8'))
  return categories
}
