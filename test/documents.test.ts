import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { printedBy, REASONS, runnable, type Snippet, snippetsOf } from './documents/page.ts'
import { runPage } from './documents/run-page.ts'
import { folders, read, root } from './repository.ts'

/** The pages in docs/ except the protocol, which has no commands. */
const DOCS = readdirSync(join(root, 'docs')).filter((name) => /(?<!^protocol)\.md$/.test(name))
const PAGES = [
  'README.md',
  ...DOCS.map((name) => `docs/${name}`),
  ...folders.map((folder) => `${folder}/README.md`),
  'python/README.md',
].filter((page) => existsSync(join(root, page)))

const snippetsIn = (page: string): readonly Snippet[] => snippetsOf(read(page))

/** Runs a program as if from a file in `folder`, as one bundle. Resolves with its output. */
async function outputOf(program: string, folder: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: folder, loader: 'ts' },
    ...{ bundle: true, write: false, platform: 'node', target: 'node20', format: 'esm' },
    conditions: ['@affine/source'],
    banner: {
      js:
        "import { createRequire } from 'node:module'; " +
        'const require = createRequire(import.meta.url)',
    },
  })
  const words = ['--input-type=module', '-']
  const input = outputFiles[0]?.text
  const { stdout, stderr } = spawnSync(process.execPath, words, {
    ...{ cwd: folder, input, encoding: 'utf8' },
  })
  return stdout + stderr
}

/** Returns the fault in a snippet's note, or undefined if the note is valid. */
function noteFault(page: string, { note = '', text }: Snippet): string | undefined {
  const [, kind, value = ''] = /^(not run|tested|file): (.*)$/.exec(note) ?? []
  if (kind === undefined) return note === '' || note === 'serves' ? undefined : `bad note: ${note}`
  if (kind === 'file') return undefined
  if (kind === 'not run')
    return REASONS.includes(value) ? undefined : `expected one of ${REASONS}, got ${value}`
  if (!existsSync(join(root, value))) return `${value} does not exist`
  const [command = ''] = text.split(/\n|\s+#/, 1)
  const tests = read(value)
  const isNamed = tests.includes(basename(page)) || tests.includes(command)
  return isNamed ? undefined : `${value} mentions neither the page nor the command`
}

describe.each(PAGES)('%s', (page) => {
  const snippets = snippetsIn(page).filter(runnable)
  test('gives a reason for each snippet that no test runs', () => {
    const faults = snippets.flatMap((snippet) => {
      const fault = noteFault(page, snippet)
      return fault === undefined ? [] : [`line ${snippet.line}: ${fault}`]
    })
    expect(faults).toEqual([])
  })
  const programs = snippets.filter(({ language, note }) => language === 'ts' && !note)
  test.skipIf(programs.length === 0)('has programs that print its stated output', async () => {
    const cwd = join(root, page, '..')
    for (const program of programs) {
      const stdout = await outputOf(program.text, cwd)
      expect(stdout).toBe(printedBy(program, snippetsIn(page)))
      expect(stdout).not.toBe('')
    }
  })
})

test('runs every page with commands', () => {
  const run = read('test/documents.machine.test.ts') + read('test/documents.test.ts')
  const toRun = PAGES.filter((page) =>
    snippetsIn(page).some(({ language, note = '' }) => {
      const isCommand = language === 'sh' || language === 'python'
      return isCommand && !/^(not run|tested)/.test(note)
    }),
  )
  expect(toRun.filter((page) => !run.includes(`runPage('${page}')`))).toEqual([])
})

test('docs/mining.md runs when pasted', () => runPage('docs/mining.md'))
