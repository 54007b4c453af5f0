import * as z from 'zod'
import { ABOUT, type Setting } from './setting.ts'

/** What was given by name of a setting, or of a variable: texts, none of which counts if empty. */
export type Given = Readonly<Record<string, string | undefined>>

/** Settings that belong together. */
export interface Group<Values> {
  readonly settings: readonly Setting[]
  /** Their values, of these texts; undefined when one is not what it must be. */
  readonly read: (given: Given) => Values | undefined
}

/** Settings by their types, each with what is said `ABOUT` it, and their options' heading. */
export function defineGroup<Shape extends Record<string, z.ZodType>>(
  heading: string,
  shape: Shape,
): Group<z.output<z.ZodObject<Shape>>> {
  const schema = z.object(shape)
  const settings = Object.entries(shape).map(([name, type]) => {
    const about = ABOUT.get(type)
    if (about === undefined) throw new Error(`nothing is said about the setting ${name}`)
    return { name, heading, type, ...about }
  })
  return { settings, read: (given) => schema.safeParse(given).data }
}
