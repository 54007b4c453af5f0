import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { licences } from '../licences.ts'

const root = testFolder('affine-licences')

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

/** Returns the files of a package that exports its name. */
const packaged = (name: string, files: Readonly<Record<string, string>>) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.2.3', main: 'a.js' }),
  [`node_modules/${name}/a.js`]: `export default [${JSON.stringify(name)}]`,
  ...Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`node_modules/${name}/${path}`, text]),
  ),
})

/** Bundles a page and a worker that import these packages, and returns the licences. */
async function bundle(page: readonly string[], worker: readonly string[]): Promise<string> {
  const show = (names: readonly string[]): string =>
    names.map((name, i) => `import p${i} from '${name}'; console.log(p${i})\n`).join('')
  const start = "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })"
  write({
    'index.html': '<script type="module" src="./page.js"></script>',
    'page.js': `${show(page)}${start}`,
    'worker.js': show(worker),
  })
  const plugins = licences()
  await build({
    ...{ root, configFile: false, logLevel: 'silent', plugins: [plugins.page] },
    worker: { format: 'es', plugins: () => [plugins.worker] },
  })
  return readFileSync(join(root, 'dist', 'licences.txt'), 'utf8')
}

describe('the licences of a page', () => {
  write({
    ...packaged('a', { LICENSE: 'Do as you like.\n' }),
    ...packaged('@b/c', { 'licence.md': 'Do as you like.\n' }),
    ...packaged('d', { 'LICENSE.txt': 'Name us.', NOTICE: 'By D.' }),
    ...packaged('unused', { LICENSE: 'Pay.' }),
    ...packaged('unlicensed', {}),
  })

  it('include the licences of packages in the page and its worker, each text once', async () => {
    const [liberal, strict] = ['@b/c 1.2.3\na 1.2.3\n\nDo as you like.\n', 'd 1.2.3\n\nName us.']
    const text = await bundle(['a'], ['@b/c', 'd'])
    expect(text).toBe(`${liberal}\n${'-'.repeat(80)}\n\n${strict}\n\nBy D.\n`)
  })

  it('fail the build if a package has no licence', async () => {
    await expect(bundle(['a', 'unlicensed'], [])).rejects.toThrow(/unlicensed 1\.2\.3 is part of/)
    await expect(bundle([], ['unlicensed'])).rejects.toThrow(/unlicensed 1\.2\.3 is part of/)
  })
})
