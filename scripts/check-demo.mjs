// Runs `npm run demo` as a newcomer would, then alters one byte at a time in what it left: each
// must be noticed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const scratch = mkdtempSync(join(tmpdir(), 'affine-demo-check-'))
const out = join(scratch, 'out')
const fail = (text) => {
  throw new Error(text)
}

try {
  const started = Date.now()
  const demo = spawnSync('npm', ['run', 'demo', '--', '--out', out], { encoding: 'utf8' })
  process.stdout.write(demo.stdout)
  if (demo.status !== 0) fail(`the demo ended with ${demo.status}\n${demo.stderr}`)
  for (const expected of ['dethrones', 'keeps the throne', 'did not agree', 'Everything holds.']) {
    if (!demo.stdout.includes(expected)) fail(`the demo never said "${expected}"`)
  }
  const roots = [...demo.stdout.matchAll(/state root ([0-9a-f]{64})/g)].map(([, root]) => root)
  if (roots.length !== 2 || roots[0] !== roots[1])
    fail(`the verifier came to another state root: ${roots}`)
  console.log(`demo: ${Math.round((Date.now() - started) / 1000)} s, installation included`)

  const buckets = join(out, 'buckets')
  const chain = join(out, 'chain.json')
  const verify = () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['apps/verifier/dist/cli.js', buckets, '--network', chain],
      { encoding: 'utf8' },
    )
    return { status, text: stdout + stderr }
  }
  const files = readdirSync(buckets, { recursive: true, encoding: 'utf8' })
    .map((path) => join(buckets, path))
    .filter((path) => statSync(path).isFile())
  const sealed = files.filter((path) => path.endsWith('.jsonl'))
  const states = files.filter((path) => path.endsWith('.json'))
  const some = (list) => list[Math.floor(Math.random() * list.length)]
  for (const path of [some(sealed), some(sealed), some(sealed), some(states), chain]) {
    const sound = readFileSync(path)
    const altered = Buffer.from(sound)
    const at = Math.floor(Math.random() * altered.length)
    altered[at] ^= 1
    writeFileSync(path, altered)
    const { status, text } = verify()
    writeFileSync(path, sound)
    if (status !== 1)
      fail(`byte ${at} of ${path} altered: the verifier ended with ${status}\n${text}`)
    console.log(
      `byte ${at} of ${path.slice(out.length + 1)} altered: ${text
        .split('\n')
        .find((line) => /✘ epoch|af-verify:/.test(line))
        ?.trim()}`,
    )
  }
  if (verify().status !== 0) fail('restored, the data does not verify')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true })
}
