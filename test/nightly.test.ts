import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { read, root } from './repository.ts'

const guide = read('CONTRIBUTING.md')

/** Returns the names explained in the list of a section of CONTRIBUTING.md. */
function listedIn(section: string): readonly string[] {
  const [, text = ''] = guide.split(`\n## ${section}\n`)
  const items = text.split('\n## ')[0]?.match(/^- .*(\n {2}.*)*/gm) ?? []
  return items.flatMap((item) =>
    [...item.matchAll(/`([a-z][\w-]*)`(?=[:,]| and `)/g)].map(([, name = '']) => name),
  )
}

it('runs every long test every night, and CONTRIBUTING.md explains each', () => {
  const words = ['scripts/long.mjs', 'none']
  const { stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  const parts = /^expected one of (.*), got none$/m.exec(stderr)?.[1]?.split(', ') ?? []
  expect(parts).toContain('simulate')
  const { jobs } = parse(read('.github/workflows/nightly.yml'))
  expect(jobs.long.strategy.matrix.part).toEqual(parts)
  expect([...listedIn('Long tests')].sort()).toEqual([...parts].sort())
})

it('CONTRIBUTING.md lists every third-party program that runs every night', () => {
  const [, table = ''] = read('python/nightly.py').split('\nPARTS: ')
  const parts = [...table.matchAll(/^ {4}(\w+): \[/gm)].map(([, name]) => name)
  expect(parts).toContain('openai')
  expect(listedIn('Programs of others')).toEqual(parts)
})
