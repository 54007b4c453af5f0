import * as z from 'zod'
import { ABOUT, type Setting } from './setting.ts'

/** Texts that were given, by the name of a setting or a variable. Empty texts do not count. */
export type Given = Readonly<Record<string, string | undefined>>

/** Settings that belong together. */
export interface Group<Values> {
  readonly settings: readonly Setting[]
  /** Their values, read from texts; undefined when a text is not valid. */
  readonly read: (given: Given) => Values | undefined
}

/** A group of settings, from their types, each registered in `ABOUT`, and a heading for help. */
export function defineGroup<Shape extends Record<string, z.ZodType>>(
  heading: string,
  shape: Shape,
): Group<z.output<z.ZodObject<Shape>>> {
  const schema = z.object(shape)
  const settings = Object.entries(shape).map(([name, type]) => {
    const about = ABOUT.get(type)
    if (about === undefined) throw new Error(`the setting ${name} is not registered in ABOUT`)
    return { name, heading, type, ...about }
  })
  return { settings, read: (given) => schema.safeParse(given).data }
}
