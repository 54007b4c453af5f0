import { type Literals, readTemplate } from '../src/deployment/template-source.ts'
import { TEMPLATES } from '../src/deployment/templates.ts'

type Value = Literals[string]

/** The engine's arguments that Chutes sets, by template, for a machine with two GPUs. */
const FORCED: Readonly<Record<string, readonly string[]>> = {
  vllm: ['--gpu-memory-utilization 0.8', '--tensor-parallel-size 1', '--data-parallel-size 2'],
  sglang: ['--mem-fraction-static 0.8', '--chunked-prefill-size 4096', '--tp 1', '--dp 2'],
}

const NAMED = new Map(Object.entries({ '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }))

/** A character that Python does not print, by its number. */
function escapeOf(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16)
  if (digits.length <= 2) return `\\x${digits.padStart(2, '0')}`
  return digits.length <= 4 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}

/** A text as Python's `repr` has it. */
function textOf(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const body = [...text].map((each) => {
    if (each === quote) return `\\${quote}`
    const isPrinted = each === ' ' || /[^\p{C}\p{Z}]/u.test(each)
    return NAMED.get(each) ?? (isPrinted ? each : escapeOf(each))
  })
  return `${quote}${body.join('')}${quote}`
}

function numberOf(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1e-4) return String(value)
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1')
}

function pythonOf(value: Value): string {
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'number') return numberOf(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`
  return `NodeSelector(${argumentsOf(value as Literals)})`
}

const argumentsOf = (values: Literals): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${pythonOf(value)}`)
    .join(', ')

/** Sets an argument where a blank follows its name, and adds it where none does. */
function forced(text: string, argument: string): string {
  const [name = ''] = argument.split(' ')
  const set = text.replace(new RegExp(`${name} +\\S+`), argument)
  return set === text && !text.includes(argument) ? `${text} ${argument}` : set
}

/**
 * A plain source as Chutes stores it: without comments, one statement a line, texts as Python
 * writes them, and with the engine's arguments that Chutes sets. The shape is that of `ast.unparse`.
 */
export function rewritten(source: string): { readonly text: string; readonly values: Literals } {
  const read = readTemplate(source, {}, TEMPLATES)
  if (!read.ok) throw new Error(read.detail)
  const given = read.value
  const [, imageName = ''] = /\/(\w+):/.exec(String(given.image)) ?? []
  const before = String(given.engine_args ?? '')
  const values = { ...given, engine_args: (FORCED[imageName] ?? []).reduce(forced, before) }
  const imports = source.match(/^(?:import|from) [\w. ]+/gm) ?? []
  const [, builder] = /chute *= *(\w+)/.exec(source) ?? []
  const text = [...imports, `chute = ${builder}(${argumentsOf(values)})`].join('\n')
  return { text, values }
}
