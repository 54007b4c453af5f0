import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { read, root } from './repository.ts'

const git = (words: readonly string[], input = ''): readonly string[] =>
  execFileSync('git', ['-C', root, ...words], { input, encoding: 'utf8' })
    .split('\n')
    .slice(0, -1)

/** Files that the documents' commands write where they run. */
const WRITTEN = [
  '.env',
  '.env.local',
  '.env.0f1e.tmp',
  'validator.env',
  'validator/secrets/3',
  'validator-1/owner.json',
  'validator-2/journal/3.jsonl',
  'localnet/chain.json',
  'localnet/keys/validator-1',
  'buckets/5F/v1/blocks/0f1e.jsonl',
  'subnet/validators/alice/secrets/3',
  'history.jsonl',
  'hex-duel/samples.jsonl',
  'judged/result.json',
]
/** The same files in the checkout, in a new folder in it, and in a folder that images contain. */
const PATHS = ['', 'play/', 'deploy/', 'packages/play/', 'apps/validator/'].flatMap((folder) =>
  WRITTEN.map((path) => `${folder}${path}`),
)

interface Pattern {
  readonly isExcluding: boolean
  readonly matches: RegExp
}

/** Reads a pattern of a `.dockerignore`, which matches a path and everything below it. */
function readPattern(line: string): Pattern {
  const text = line.replace(/^!/, '')
  const source = text.replace(/\*\*\/|\*|[.+]/g, (part) =>
    part === '**/' ? '(?:.*/)?' : part.replace('*', '[^/]*').replace(/^[.+]$/, '\\$&'),
  )
  return { isExcluding: text === line, matches: new RegExp(`^${source}(?:/|$)`) }
}

const dockerPatterns = read('deploy/Dockerfile.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(readPattern)
/** Reports whether an image lacks a path: the last pattern that matches decides. */
const isExcluded = (path: string): boolean =>
  dockerPatterns.filter(({ matches }) => matches.test(path)).at(-1)?.isExcluding ?? false

describe('a file that the documents’ commands write', () => {
  it('is ignored by Git, unlike every file of the repository', () => {
    expect(git(['check-ignore', '--no-index', '--stdin'], PATHS.join('\n'))).toEqual(PATHS)
    expect(git(['ls-files', '--cached', '--ignored', '--exclude-standard'])).toEqual([])
  })

  it('is not in an image, unlike every file that the build needs', () => {
    expect(PATHS.filter((path) => !isExcluded(path))).toEqual([])
    const others = ['under-any-name/secrets/3', '.git/config', 'apps/validator/node_modules/a']
    expect(others.filter((path) => !isExcluded(path))).toEqual([])
    const needed = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc']
    const sources = git(['ls-files', 'apps', 'packages', 'tsconfig.json', 'tsconfig.base.json'])
    expect([...needed, ...sources].filter(isExcluded)).toEqual([])
  })
})
