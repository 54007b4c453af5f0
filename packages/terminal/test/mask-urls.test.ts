import { describe, expect, it } from 'vitest'
import { maskUrls } from '../src/fault-text.ts'

describe('a URL', () => {
  it('is without its user, its query, and a node’s path', () => {
    const masked = [
      ['at wss://me:pw@h.example/v1/key: why', 'at wss://****@h.example/****: why'],
      ['"ws://h:1/k","wss://h?k=1"', '"ws://h:1/****","wss://h?****"'],
      ['https://me:p@w@h/path?sig=1; next', 'https://****@h/path?****; next'],
      ['WSS://h/key and https://h/x#token', 'WSS://h/**** and https://h/x#****'],
    ]
    for (const [text = '', want] of masked) expect(maskUrls(text)).toBe(want)
    for (const [, text = ''] of masked) expect(maskUrls(text)).toBe(text)
    const plain = 'ws://127.0.0.1:9944; http://h:1/a/b, mult8@0.1.0 at //x@y'
    expect(maskUrls(plain)).toBe(plain)
  })
})
