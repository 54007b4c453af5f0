import { PROOF_BYTES, proveSample, readBlock, toLine } from '@affine/blocks'
import { type Account, LocalChain, verify } from '@affine/chain'
import { expect, it, test } from 'vitest'
import { network, ReadingSubnet } from '../../../test/attacks/reading-subnet.ts'
import { judgeProofFile } from '../src/index.ts'

const subnet = new ReadingSubnet([100, 100, 100])
const [first, second, third] = subnet.voters as [Account, Account, Account]
const state = await subnet.begin()
const { hash, bytes } = await subnet.sealOne(second, state)
await subnet.sealAll(state, [first])
const block = readBlock(bytes, { hash, verify })
if (!block.ok) throw new Error(block.detail)
const text = toLine(proveSample(block.value, 1))

const judgeFile = (file: string, chain = subnet.chain) =>
  judgeProofFile(new TextEncoder().encode(file), { chain, network })
const judge = async (file: string, chain = subnet.chain) => (await judgeFile(file, chain)).result

it("accepts a proof that ends at the seal of its header's validator and epoch", async () => {
  expect(await judge(text)).toMatchObject({ ok: true, value: { index: 0 } })
})

test.each([
  ['no bytes', () => '', 'the text is not JSON'],
  ['other JSON', () => '{"a":1}', '/sample: expected a string'],
  ['a line feed', () => `${text}\n`, 'differs from the canonical text'],
  ['no JSON', () => '\ud800', 'the text is not JSON'],
  ['no header', () => text.replace('{\\"count', '{\\"kount'), 'the header: '],
  ['too many bytes', () => '9'.repeat(PROOF_BYTES + 1), `expected at most ${PROOF_BYTES} bytes`],
  ['another validator', () => text.replace(second.hotkey, first.hotkey), 'linked headers up to '],
  [
    'a validator without a seal',
    () => text.replace(second.hotkey, third.hotkey),
    `${third.hotkey} has no seal of`,
  ],
  ['a later epoch', () => text.replace('\\"epoch\\":2', '\\"epoch\\":3'), 'epoch 3 on this chain'],
])('rejects a file with %s', async (_, make, detail) => {
  expect(make()).not.toBe(text)
  const result = await judge(make())
  expect(result).toMatchObject({ ok: false, code: 'BAD_PROOF' })
  expect(!result.ok && result.detail).toContain(detail)
})

it('names the step at which a file fails', async () => {
  const failing = async (file: string) =>
    (await judgeFile(file)).steps.find(({ fault }) => fault !== null)?.code
  expect(await failing('')).toBe('form')
  expect(await failing(text.replace(second.hotkey, third.hotkey))).toBe('head')
})

it('rejects a proof of another chain', async () => {
  const other = LocalChain.create({ netuid: 120, random: () => new Uint8Array(32).fill(9) })
  const { genesis } = subnet.chain
  const detail = `it is of another network: netuid 120, genesis ${genesis}`
  expect(await judge(text, other)).toMatchObject({ code: 'BAD_PROOF', detail })
  const foreign = text.replace('\\"netuid\\":120', '\\"netuid\\":121')
  expect(await judge(foreign.replace(second.hotkey, third.hotkey))).toMatchObject({
    detail: `it is of another network: netuid 121, genesis ${genesis}`,
  })
})
