import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runAf, runVerifier } from './in-process.ts'
import { folders, read, root } from './repository.ts'

interface Manifest {
  readonly version: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest => JSON.parse(read(`${folder}/package.json`))

describe.each(folders)('%s', (folder) => {
  const { scripts, dependencies, devDependencies } = manifestOf(folder)

  it('has a script that runs its tests from the root, which has the configuration', () => {
    expect(scripts?.test).toBe(`cd ../.. && vitest run ${folder}/`)
    expect(existsSync(join(root, folder, 'test'))).toBe(true)
  })

  it('depends on other packages of the repository by the range workspace:^', () => {
    const ranges = Object.entries({ ...devDependencies, ...dependencies })
      .filter(([name]) => name.startsWith('@affine/'))
      .map(([, range]) => range)
    expect(ranges.filter((range) => range !== 'workspace:^')).toEqual([])
  })
})

it('apps/explorer has no @affine package in devDependencies, whose releases would not release it', () => {
  const developed = Object.keys(manifestOf('apps/explorer').devDependencies ?? {})
  expect(developed.filter((name) => name.startsWith('@affine/'))).toEqual([])
})

it.each([
  ['af', runAf, 'apps/validator'],
  ['af-verify', runVerifier, 'apps/verifier'],
])('%s --version prints the version of its package', async (_, run, folder) => {
  expect((await run(['--version'])).stdout).toBe(`${manifestOf(folder).version}\n`)
})
