import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from '@commander-js/extra-typings'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { maskUrls, readNamed } from '../src/fault-text.ts'
import { within } from './within.ts'

const root = testFolder('fault-text')

it('rejects with a RangeError for a wrong path, and with the original error for a failing disk', async () => {
  const missing = join(root, 'nope')
  await expect(readNamed(open(missing))).rejects.toThrow(RangeError)
  await expect(readNamed(open(missing))).rejects.toThrow(missing)
  const broken = Object.assign(new Error('broken'), { code: 'EIO', path: missing })
  await expect(readNamed(Promise.reject(broken))).rejects.toBe(broken)
  await expect(readNamed(Promise.resolve(7))).resolves.toBe(7)
})

describe('a URL', () => {
  it('is printed without its user, query and fragment, and a node’s path', () => {
    const masked = [
      ['at wss://me:pw@h.example/v1/key: why', 'at wss://****@h.example/****: why'],
      ['"ws://h:1/k","wss://h?k=1"', '"ws://h:1/****","wss://h?****"'],
      ['https://me:p@w@h/path?sig=1; next', 'https://****@h/path?****; next'],
      ['WSS://h/key and https://h/x#token', 'WSS://h/**** and https://h/x#****'],
      ['got "wss:/h/key", "wss:h/key"', 'got "wss:/h/****", "wss:h/****"'],
      ['wss:\\\\h\\key or WSS:/h?key', 'wss:\\\\h\\**** or WSS:/h?****'],
      ['wss:/me:pw@h/key, https:\\\\me:pw@h', 'wss:/****@h/****, https:\\\\****@h'],
      ['wss://me:p/w@h/key, https://me:p?w@h', 'wss://****@h/****, https://****@h'],
      ['(http://h/a)(wss://h/key)', '(http://h/a)(wss://h/****)'],
      ['https://h:1/x?a=b@key', 'https://h:1/x?****'],
    ]
    for (const [text = '', want] of masked) expect(maskUrls(text)).toBe(want)
    for (const [, text = ''] of masked) expect(maskUrls(text)).toBe(text)
    const plain = 'ws://127.0.0.1:9944; http://h:1/a/b, mult8@0.1.0 at //x@y, why: https: no'
    expect(maskUrls(plain)).toBe(plain)
  })

  it('is masked in usage errors', async () => {
    const program = new Command('af').addCommand(new Command('status'))
    const { stderr } = await within(program, ['wss:/h/key'])
    expect(stderr).toContain("af: unknown command 'wss:/h/****'")
  })
})
