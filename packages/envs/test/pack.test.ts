import { pcg64 } from '@affine/prng'
import { expect, test } from 'vitest'
import { make } from '../src/index.ts'

const env = make('pack@0.1.0')
const { spec } = env
const numbersIn = (text: string): readonly number[] => (text.match(/[0-9]+/g) ?? []).map(Number)
const piecesIn = (prompt: string): readonly string[] => prompt.split('\n')[2]?.split(' ') ?? []

function rewardOf(seed: number, reply: string): number {
  env.reset({ seed })
  return env.step(env.parse(reply))[1]
}

/** Computes the reward of placements square by square. */
function squares(prompt: string, reply: string): number {
  const left = piecesIn(prompt).map((piece) => numbersIn(piece).toString())
  const covered = new Set<number>()
  for (const placement of reply.split(' ')) {
    const [x = 0, y = 0, width = 0, height = 0] = numbersIn(placement)
    const at = left.findIndex(
      (piece) => piece === `${width},${height}` || piece === `${height},${width}`,
    )
    if (at < 0) continue
    left.splice(at, 1)
    const its: number[] = []
    for (let down = 0; down < height; down++)
      for (let right = 0; right < width; right++)
        its.push(x + right >= 60 || y + down >= 40 ? -1 : 60 * (y + down) + x + right)
    if (its.some((square) => square < 0 || covered.has(square))) continue
    for (const square of its) covered.add(square)
  }
  return covered.size
}

test('a challenge cuts a box into 8 to 32 pieces that fit', () => {
  const counts = new Set<number>()
  for (let seed = 0; seed < 400; seed++) {
    const [, { difficulty }] = env.reset({ seed })
    const prompt = env.render()
    const pieces = piecesIn(prompt)
    counts.add(pieces.length)
    expect(difficulty).toBe(pieces.length)
    const sides = pieces.flatMap(numbersIn)
    expect(Math.min(...sides)).toBeGreaterThanOrEqual(2)
    const cutting = spec.truth(spec.initial(pcg64(seed))) as string
    expect(squares(prompt, cutting)).toBe(2400)
    expect(rewardOf(seed, cutting)).toBe(2400)
    expect(cutting.split(' ').length).toBe(pieces.length)
    expect(prompt).not.toContain(cutting)
  }
  expect(counts).toEqual(new Set([8, 12, 16, 24, 32]))
})

test('the reward is the number of covered squares, for any placements', () => {
  const random = pcg64(9)
  for (let seed = 0; seed < 600; seed++) {
    env.reset({ seed })
    const prompt = env.render()
    const lines = [spec.guess(prompt, random), spec.guess(prompt, random)]
    const reply = [...lines, spec.solve(prompt).split(' ').slice(0, 12).join(' ')].join(' ')
    for (const each of [...lines, reply, `${reply} 0,0,0,0 99,99,99,99`])
      expect(rewardOf(seed, each)).toBe(squares(prompt, each))
  }
})

test('explanations state what each placement earns, or why it earns nothing', () => {
  env.reset({ seed: 3 })
  const prompt = env.render()
  const [one = '', two = '', three = ''] = piecesIn(prompt)
  const [[w = 0, h = 0], [v = 0, g = 0]] = [numbersIn(one), numbersIn(two)]
  const [a = 0, b = 0] = numbersIn(three)
  const reply = `0,0,${w},${h} 0,0,${v},${g} 59,39,${a},${b} 0,0,1,1`
  const pieces = spec.observe(spec.initial(pcg64(3)))
  const action = spec.parse(reply)
  const says = (spec.explain?.picture?.(pieces, action)?.shapes ?? []).map(({ kind, says }) => [
    kind,
    says,
  ])
  const why = ['on another piece', 'outside the box', 'no such piece is left']
  const wrong = reply
    .split(' ')
    .slice(1)
    .map((placement, i) => `${placement} earns nothing: ${why[i]}`)
  expect(says).toEqual([
    ['empty', undefined],
    ['first', `0,0,${w},${h} earns ${w * h}`],
    ...wrong.map((each) => ['wrong', each]),
  ])
  const reward = rewardOf(3, reply)
  const ending = spec.explain?.ending?.({ before: pieces, action, after: pieces, reward })
  expect(ending).toBe(`covered ${w * h} of 2,400 with 1 of 4 placements; ${wrong[0]}`)
})
