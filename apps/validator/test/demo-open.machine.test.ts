import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AF, killAll, start } from '../../../test/processes.ts'
import { buildPage } from '../../explorer/test/build-page.ts'

let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'demo-open-'))
  await buildPage()
})
afterAll(async () => {
  await killAll()
  await rm(root, { recursive: true })
})

const text = async (url: string): Promise<string> => (await fetch(url)).text()

it('af demo --open prints a link, serves until Ctrl-C, and removes its files', async () => {
  const demo = start(AF, ['demo', '--open', '--seed', '1'], { env: { TMPDIR: root } })
  const [, at = ''] = await demo.says(/Open (http:\S+)\/ in a browser \(Ctrl-C stops it\)\n/)
  expect(await text(`${at}/`)).toMatch(/^<!doctype html>/i)
  const { names } = JSON.parse(await text(`${at}/network.json`))
  expect(Object.values(names)).toContain('mallory')
  const [out = ''] = await readdir(root)
  const chain = await readFile(join(root, out, 'chain.json'), 'utf8')
  expect(await text(`${at}/chain.json`)).toBe(chain)
  const { stdout, ...ended } = await demo.stop()
  expect(ended).toEqual({ code: 130, stderr: '' })
  expect(stdout.match(/\w+:\/\/\S+/g)).toEqual([`${at}/`])
  expect(await readdir(root)).toEqual([])
})
