// Counts phrases that docs/english.md replaces, in the sources, tests and documents.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const MOST = 78
const PHRASES = {
  '"again" or "from scratch"': /\banew\b/gi,
  '"anyone who", "no one", "everyone", or the role': /\b(?:whoever|(?:no|some|every)body)\b/gi,
  '"regardless of" or "any"': /\bwhatever\b/gi,
  '"in progress" or "pending"': /\bunder way\b/gi,
  '"concurrently"': /\bside by side\b/gi,
  '"continues"': /\bgoes on\b/gi,
  '"except"': /\bbut for\b/gi,
  '"otherwise" or "everything else"': /\b(?:or|all) else\b/gi,
  '"in addition to" or "next to"': /\bbeside\b/gi,
  '"unreachable" or "unavailable"': /\b(?:out of reach|be had)\b/gi,
  '"results in" or "totals"': /\bcomes? (?:to|of) (?!th)/gi,
  'the noun again': /\b(?:one|those) (?:that|which|whose)\b|\b(?:of|by|from) (?:what|which)\b/gi,
  'a verb or a noun at the start':
    /\/\*\* (?:Of|What|Which|By|From|Is|Are|Does|Has|How|Why|Where)\b/g,
}
/** The guide lists the phrases; prompts of environments and the protocol are normative. */
const EXCEPT = /^(?:docs\/(?:english|protocol)\.md|scripts\/prose\.mjs|vectors\/)|CHANGELOG/

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.md'], {
  encoding: 'utf8',
}).split('\n')
const found = files
  .filter((file) => file !== '' && !EXCEPT.test(file))
  .flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        Object.entries(PHRASES).flatMap(([instead, phrase]) =>
          (line.match(phrase) ?? []).map(
            (text) => `${file}:${at + 1}: "${text}", write ${instead}`,
          ),
        ),
      ),
  )
for (const line of found.length > MOST ? found : []) console.error(line)
console.log(`${files.length} files, ${found.length} phrases to replace, expected at most ${MOST}`)
if (files.length < 100 || found.length > MOST) process.exitCode = 1
