import { test } from 'vitest'
import { runPage } from './documents/run-page.ts'

// They need Python, or a demo of a minute.
test('docs/local-subnet.md runs as it is pasted', () => runPage('docs/local-subnet.md'))
test('docs/research.md runs as it is pasted', () => runPage('docs/research.md'))
test('docs/training.md runs as it is pasted', () => runPage('docs/training.md'))
test('python/README.md runs as it is pasted', () => runPage('python/README.md'))
