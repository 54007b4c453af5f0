// Runs the demo from the build, or with `--install` by `npm run demo`, which installs and builds.
// Compares README.md with the demo's output; with `--write`, updates README.md. Then changes one
// byte at a time in the demo's evidence: the verifier must detect each change.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'

const isInstalling = process.argv.includes('--install')
const scratch = mkdtempSync(join(tmpdir(), 'affine-demo-check-'))
const out = join(scratch, 'out')
const fail = (text) => {
  throw new Error(text)
}

try {
  const [program, ...words] = isInstalling
    ? ['npm', 'run', 'demo', '--']
    : [process.execPath, 'apps/validator/dist/cli.js', 'demo']
  const demo = spawnSync(program, [...words, '--seed', '7', '--out', out], { encoding: 'utf8' })
  process.stdout.write(demo.stdout)
  if (demo.status !== 0) fail(`the demo ended with ${demo.status}\n${demo.stderr}`)
  if (demo.stderr !== '') fail(`the output has messages of the demo's tools:\n${demo.stderr}`)
  if (/\bwarn|telemetry|update available|unsupported|turbo/i.test(demo.stdout))
    fail(`the output has messages of the demo's tools:\n${demo.stdout}`)
  const shown = /(?<=```text\n)Seed 7\.[^`]*(?=```)/
  const [story] = /^Seed 7\.[\s\S]*\nVerified: .*\n/m.exec(demo.stdout) ?? fail('no verified story')
  const readme = readFileSync('README.md', 'utf8')
  if (process.argv.includes('--write')) writeFileSync('README.md', readme.replace(shown, story))
  else if (shown.exec(readme)?.[0] !== story)
    fail('README.md shows another story; run node scripts/check-demo.mjs --write')

  const buckets = join(out, 'buckets')
  const chain = join(out, 'chain.json')
  const verify = () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['apps/verifier/dist/cli.js', buckets, '--network', chain, '--jobs', '1'],
      { encoding: 'utf8' },
    )
    return { status, text: stdout + stderr }
  }
  const page = readFileSync('apps/verifier/README.md', 'utf8')
  for (const [, words] of page.matchAll(/^ {4}af-verify (\.\/buckets .*)$/gm)) {
    const verifier = [resolve('apps/verifier/dist/cli.js'), ...words.split(' ')]
    const { status } = spawnSync(process.execPath, verifier, { cwd: out })
    if (status !== 0) fail(`af-verify's README: ${words} ended with ${status}`)
  }
  const files = readdirSync(buckets, { recursive: true, encoding: 'utf8' })
    .map((path) => join(buckets, path))
    .filter((path) => statSync(path).isFile())
  const sealed = files.filter((path) => path.includes('/v1/blocks/'))
  // A state is compared when its epoch ends, and the newest epoch has not ended.
  const states = files.filter((path) => /\/v1\/states\/[0-9]+\.json$/.test(path))
  const [newest] = states.map((path) => Number(basename(path, '.json'))).sort((a, b) => b - a)
  const compared = states.filter((path) => basename(path) !== `${newest}.json`)
  const some = (list) => list[Math.floor(Math.random() * list.length)]
  for (const path of [some(sealed), some(compared), chain]) {
    const sound = readFileSync(path)
    const altered = Buffer.from(sound)
    const at = Math.floor(Math.random() * altered.length)
    altered[at] ^= 1
    writeFileSync(path, altered)
    const { status, text } = verify()
    writeFileSync(path, sound)
    // The verifier exits with 1 for a flaw, such as an altered block or state, and with 4 if it
    // cannot read the chain. An altered chain usually is unreadable.
    if (status !== 1 && !(path === chain && status === 4))
      fail(`byte ${at} of ${path} altered: the verifier ended with ${status}\n${text}`)
    console.log(
      `byte ${at} of ${path.slice(out.length + 1)} altered: ${text
        .split('\n')
        .find((line) => /✘ epoch|af-verify:/.test(line))
        ?.trim()}`,
    )
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true })
}
