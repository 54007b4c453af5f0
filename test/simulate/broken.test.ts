import { expect, it, vi } from 'vitest'
import type * as Journals from '../../packages/node/src/journal.ts'
import type { Fault } from './faults.ts'
import { simulate } from './simulation.ts'
import { drawWorld } from './world.ts'

vi.mock('../../packages/chain/node_modules/@scure/sr25519', () => import('./quick-keys.ts'))
vi.mock(
  '../../packages/chain/node_modules/@polkadot/wasm-crypto-wasm/cjs/bytes.js',
  () => import('./quick-keys.ts'),
)

/** Replaces the journal by one that acknowledges samples before writing them. */
vi.mock('../../packages/node/src/journal.ts', async (original) => {
  const journals = await original<typeof Journals>()
  const openJournal: typeof journals.openJournal = async (path) => {
    const journal = await journals.openJournal(path)
    const append = async (entry: Parameters<typeof journal.append>[0]): Promise<void> => {
      journal.append(entry).catch(() => undefined)
    }
    return { ...journal, append }
  }
  return { ...journals, openJournal }
})

it('detects a validator that loses acknowledged samples', async () => {
  const crash = { kind: 'crash', epoch: 2, place: 'journal', when: 'before', disk: 'cut' } as const
  const faults = [0, 1, 2, 3].map((who): Fault => ({ ...crash, who, op: 20, downMs: 1000 }))
  const { violation } = await simulate(drawWorld(36, 3), faults)
  expect(violation?.promise).toBe('SAMPLES_KEPT')
})
