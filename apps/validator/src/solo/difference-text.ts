import { isDeepStrictEqual } from 'node:util'

/**
 * Which arguments differ between what was begun and what is asked for now, as the middle of a
 * sentence; empty where nothing is the same. `names` are the arguments by field.
 */
export function differenceText(
  begun: unknown,
  asked: object,
  names: Readonly<Record<string, string>>,
): string {
  const [kept, wanted] = [Object(begun), Object(asked)]
  const fields = Object.keys(names).filter((field) => field in kept || field in wanted)
  const differing = fields.filter((field) => !isDeepStrictEqual(kept[field], wanted[field]))
  if (differing.length === 0 || differing.length === fields.length) return ''
  return `, got one of another ${differing.map((field) => names[field]).join(', ')}`
}
