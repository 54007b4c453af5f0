// Lighthouse's scores for the built page, served compressed. It is fetched by npx, as only this
// needs it.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { EXECUTABLE } from '../test/browser.ts'
import { runDemo } from '../test/demo.ts'
import { serveCompressed } from './compressed.ts'

const LEAST = 0.95
const CHROME = '--headless=new --no-sandbox --disable-gpu --disable-quic --disable-sync'

/** Of Lighthouse's report, what is printed. */
interface LighthouseReport {
  readonly categories: Readonly<Record<string, { readonly title: string; readonly score: number }>>
}

await using demo = await runDemo()
using served = await serveCompressed(demo.out)
const folder = await mkdtemp(join(tmpdir(), 'lighthouse-'))
const file = join(folder, 'report.json')
const words = [served.url, '--quiet', '--output=json', `--output-path=${file}`]
await promisify(execFile)('npx', ['-y', 'lighthouse@12', ...words, `--chrome-flags=${CHROME}`], {
  env: { ...process.env, CHROME_PATH: EXECUTABLE },
})
const { categories }: LighthouseReport = JSON.parse(await readFile(file, 'utf8'))
await rm(folder, { recursive: true })
for (const { title, score } of Object.values(categories)) {
  console.log(`${title}: ${Math.round(100 * score)}, at least ${100 * LEAST}`)
  if (score < LEAST) process.exitCode = 1
}
