import { describe, test } from 'vitest'
import { runPage } from './documents/run-page.ts'

describe.concurrent('pages that need Python, or a demo that takes a minute', () => {
  test('docs/adding-an-environment.md runs when pasted', () =>
    runPage('docs/adding-an-environment.md'))
  test('docs/local-subnet.md runs when pasted', () => runPage('docs/local-subnet.md'))
  test('docs/research.md runs when pasted', () => runPage('docs/research.md'))
  test('docs/training.md runs when pasted', () => runPage('docs/training.md'))
  test('python/README.md runs when pasted', () => runPage('python/README.md'))
})
