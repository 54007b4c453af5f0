// `npm run test:long -- <part> <options>`: what takes too long for `npm test`; without a part, all
// of them. Stands back for whatever else the machine does.
import { setPriority } from 'node:os'
import { install, run } from './pnpm.mjs'

const sources = [process.execPath, '--conditions=@affine/source', '--import', 'tsx']
const PARTS = {
  simulate: [
    ...sources,
    '--import',
    './test/simulate/quick-keys.mjs',
    'test/simulate/main.ts',
    '--seeds',
    '0..2000',
  ],
  fuzz: [...sources, 'test/fuzz/main.ts'],
}

const [part, ...options] = process.argv.slice(2)
if (part !== undefined && !Object.hasOwn(PARTS, part)) {
  console.error(`expected one of ${Object.keys(PARTS).join(', ')}, got ${part}`)
  process.exit(2)
}
setPriority(15)
install()
for (const [name, words] of Object.entries(PARTS)) {
  if (part !== undefined && name !== part) continue
  console.log(`\n── ${name}`)
  run(...words, ...options)
}
