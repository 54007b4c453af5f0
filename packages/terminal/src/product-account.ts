import type { Course, Ending } from './course.ts'

/** How a multiplication ended: the product, and which digits of the reply are wrong. */
export function productAccount({ turns, last, reward, forfeit }: Course): Ending {
  const [a = 0, b = 0] = last as readonly number[]
  const product = String(BigInt(a) * BigInt(b))
  const why = `the product is ${product}`
  if (reward > 0) return { why: `right: ${why}`, shown: [], better: undefined }
  const better = `best was ${product}`
  if (forfeit !== undefined) return { why, shown: [], better }
  const answer = String(turns.at(-1)?.action)
  const width = Math.max(product.length, answer.length)
  const [right, wrong] = [product.padStart(width), answer.padStart(width)]
  const marks = [...right].map((digit, i) => (digit === wrong[i] ? ' ' : '^')).join('')
  const shown = [`product ${right}`, `reply   ${wrong}`, `        ${marks}`.trimEnd()]
  return { why: `wrong: ${why}`, shown, better: undefined }
}
