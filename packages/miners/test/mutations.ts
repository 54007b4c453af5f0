import fc from 'fast-check'

/** Values where a reader expects another: wrong kinds, wrong sizes, and names of its own. */
const oddity: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    ...[null, true, -0, 1e308, '', '\ud800', '\u001b]0;owned\u0007', '__proto__'],
    ...['x'.repeat(5000), 'x'.repeat(270_000), [], {}, [[]], ['A1']],
    ...[{ toString: 1, valueOf: 1 }, { length: 1e9 }],
  ),
)

/** One change somewhere in a value: another value in a place, a member less, or one more. */
type Change = { readonly steps: readonly number[]; readonly how: number; readonly what: unknown }
const change: fc.Arbitrary<Change> = fc.record({
  steps: fc.array(fc.nat({ max: 7 }), { maxLength: 4 }),
  how: fc.nat({ max: 2 }),
  what: oddity,
})

function changed(value: unknown, { steps, how, what }: Change): unknown {
  const [step, ...rest] = steps
  if (step === undefined || typeof value !== 'object' || value === null) return what
  const entries = Object.entries(value)
  const at = step % Math.max(1, entries.length)
  const [key, member] = entries[at] ?? ['choices', undefined]
  if (rest.length > 0 || how === 0) entries[at] = [key, changed(member, { steps: rest, how, what })]
  else if (how === 1) entries.splice(at, 1)
  else entries.push([`${key}2`, what])
  if (Array.isArray(value)) return entries.map(([, each]) => each)
  return Object.fromEntries(entries)
}

/** JSON text of a value as it is, or with a few changes in it; some of it is no JSON any more. */
export function mutatedJson(value: unknown): fc.Arbitrary<string> {
  const mutated = fc
    .array(change, { maxLength: 3 })
    .map((changes) => JSON.stringify(changes.reduce(changed, value)) ?? '')
  const deep = fc.constantFrom('[', '{"choices":').map((open) => open.repeat(20_000))
  const broken = fc.tuple(mutated, fc.nat(), fc.string({ maxLength: 3 }))
  return fc.oneof(
    { weight: 6, arbitrary: mutated },
    {
      weight: 2,
      arbitrary: broken.map(([text, nat, extra]) => {
        const at = nat % (text.length + 1)
        return text.slice(0, at) + extra + text.slice(at + extra.length)
      }),
    },
    { weight: 1, arbitrary: deep },
    { weight: 1, arbitrary: fc.constant(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) },
  )
}

/** Bytes as they are, or with some of them changed, left out or cut off. */
export function mutatedBytes(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    gone: fc.constantFrom(0, 1, 2, 1_000_000),
    added: fc.uint8Array({ maxLength: 4 }),
  })
  return fc.array(edit, { maxLength: 3 }).map((edits) =>
    edits.reduce((old, { at, gone, added }) => {
      const from = Math.floor(at * old.length)
      return new Uint8Array([...old.subarray(0, from), ...added, ...old.subarray(from + gone)])
    }, bytes),
  )
}
