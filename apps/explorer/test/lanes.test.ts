import type { LaneFacts, ValidatorStatus } from '@affine/report'
import type { Flaw } from '@affine/settlement'
import { expect, it } from 'vitest'
import { ValidatorsView } from '../src/views/validators-view.tsx'
import type { EpochAccount } from '../src/worker/epoch-accounts.ts'
import { renderText } from './rendered.ts'

const lane = (validator: string, more: Partial<LaneFacts> = {}): LaneFacts => ({
  validator,
  sealed: true,
  attested: true,
  unbegun: 0,
  accepted: true,
  setAside: [],
  trust: 900_000,
  fault: undefined,
  ...more,
})
const flaw = (validator: string, code: string): Flaw =>
  ({ epoch: 1, validator, code, detail: '' }) as Flaw
const DUELS = ['5B', '5C', '5D'].map((hotkey, i) => ({
  id: `1/${hotkey}`,
  contender: { hotkey },
  champion: { hotkey: '5A' },
  analyses: [{ env: ['mult8', 'mult8', 'hex'][i] }],
}))
const epochOf = (lanes: readonly LaneFacts[], flaws: readonly Flaw[] = []): EpochAccount =>
  ({ epoch: 1, lanes, flaws, warnings: [], trust: {}, duels: DUELS }) as never as EpochAccount

const STATE = {
  epochs: [
    epochOf([
      lane('alice'),
      lane('mallory', { setAside: [{ env: 'mult8', contenders: ['5C'] }] }),
      lane('eve'),
    ]),
    epochOf(
      [lane('alice', { sealed: false, accepted: false }), lane('mallory'), lane('eve')],
      [flaw('eve', 'WRONG_REPLAY'), flaw('alice', 'COPY_MISSING'), flaw('eve', 'WRONG_REPLAY')],
    ),
  ],
}

it('lists validators with lanes and flaws, flawed validators first and idle ones last', () => {
  const validators = [{ hotkey: 'zed', stake: 7_000_000_000n, isIdle: true } as ValidatorStatus]
  const all = renderText(ValidatorsView, STATE.epochs, {}, { validators })
  const rows = [
    ['eve', '–', '2 of 2', '0 of 2', 'WRONG_REPLAY × 2', '50 %'],
    ['mallory', '–', '2 of 2', '1 of 2', 'none', '50 %'],
    // A lost file proves nothing.
    ['alice', '–', '1 of 2', '0 of 2', 'none', '50 %'],
    ['zed', '7 TAO', 'idle', '0 of 0', 'none', '50 %'],
  ]
  expect(all).toContain(rows.flat().join('\n'))
  // The view shows the duel in which a validator is an outlier.
  expect(all).toContain(' 5C against 5A, epoch 1.')
  const eve = renderText(ValidatorsView, STATE.epochs, { of: 'eve' })
  expect(eve).toContain('eve\n–\n2 of 2\n0 of 2\nWRONG_REPLAY × 2\n')
  expect(eve).not.toContain('alice')
})

it('names the environments in which a lane was set aside', () => {
  const text = renderText(ValidatorsView, STATE.epochs, { of: 'mallory' })
  expect(text).toContain('1\n✔\n90 %\n1\n✘ suspect in mult8\n90 %\n')
})
