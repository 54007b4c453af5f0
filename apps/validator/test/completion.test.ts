import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AF, AF_VERIFY, killAll, run } from '../../../test/processes.ts'

/** A folder of the path that has both programs, and a file to name. */
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'completion-'))
  for (const [name, file] of Object.entries({ af: AF, 'af-verify': AF_VERIFY })) {
    await writeFile(join(root, name), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`)
    await chmod(join(root, name), 0o755)
  }
  await writeFile(join(root, 'chain.json'), '')
})
afterAll(async () => {
  await killAll()
  await rm(root, { recursive: true })
})

/** Runs a program of this path in the folder; null when the program is not installed. */
function said(program: string, ...words: readonly string[]): string | null {
  const env = { ...process.env, HOME: root, PATH: `${root}${delimiter}${process.env.PATH}` }
  const options = { cwd: root, env, encoding: 'utf8', timeout: 170_000 } as const
  try {
    return execFileSync(program, words, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * For each shell, a script that says what each of the lines that are its arguments may become, a
 * word a line, and then `%%`.
 */
const SHELLS = {
  bash: `
    source <(af completion bash) && source <(af-verify completion bash)
    for line in "$@"; do
      IFS=' ' read -ra COMP_WORDS <<< "$line"
      [[ "$line" = *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMPREPLY=()
      $(complete -p "\${COMP_WORDS[0]}" | sed 's/.* -F \\([^ ]*\\) .*/\\1/') "\${COMP_WORDS[0]}"
      printf '%s\\n' "\${COMPREPLY[@]}" %%
    done`,
  fish: `
    af completion fish | source; af-verify completion fish | source
    for line in $argv
      complete -C "$line" | cut -f1; echo %%
    end`,
  zsh: `
    compdef() { called[$2]=$1 }
    _describe() { print -rl -- "\${(@)\${(P@)2}%%:*}" }
    _files() { print -rl -- * }
    typeset -A called
    source <(af completion zsh); source <(af-verify completion zsh)
    for line in "$@"; do
      words=("\${(@s: :)line}"); CURRENT=$#words
      $called[$words[1]]; print -r -- %%
    done`,
}

const isThere = (shell: string): boolean => said(shell, '-c', 'true') !== null

describe.each(Object.entries(SHELLS))('%s', (shell, script) => {
  const all: readonly (readonly [string, readonly string[]])[] = [
    ['af de', ['demo']],
    ['af env ', ['list', 'run']],
    ['af chain sna', ['snapshot']],
    ['af demo --o', ['--open', '--out']],
    ['af demo --sett', ['--settings']],
    ['af env run --mo', ['--model']],
    ['af env run ', ['hex-v0', 'mult8-v0', 'pack-v0', 'tictactoe-v0']],
    ['af duel 0.5 0.6 --env mult8-v0 t', ['tictactoe-v0']],
    ['af practise --against ', ['champion']],
    ['af status --network fin', ['finney']],
    ['af-verify --cop', ['--copies']],
    ['af-verify --from', ['--from-epoch']],
    ['af-verify buckets --from', ['--from-epoch']],
    ['af-verify --network l', ['local']],
    ['af completion f', ['fish']],
  ]
  // The same program answers: only how a line is put to it, and its words are taken, differs.
  const asked = all.filter((_, i) => shell === 'bash' || i % 3 === 0)
  it.skipIf(!isThere(shell))(
    'completes commands, options and values',
    () => {
      const lines = asked.map(([line]) => line)
      // fish gives a script its arguments from the first on, the others from the second.
      const words = shell === 'fish' ? lines : [shell, ...lines]
      const offered = (said(shell, '-c', script, ...words) ?? '').split('%%\n').slice(0, -1)
      const sorted = offered.map((text) => text.split('\n').filter(Boolean).sort())
      expect(lines.map((line, i) => [line, sorted[i]])).toEqual(asked)
    },
    180_000,
  )
})

describe('completion', () => {
  it('leaves files to the shell, whatever was typed', async () => {
    const lines = ['validate --key ', 'status --settings ', 'env list x', 'demo --seed=']
    for (const line of lines) {
      const ended = await run(AF, ['completion', 'bash', '--', ...line.split(' ')])
      expect([line, ended]).toEqual([line, { code: 0, stdout: '', stderr: '' }])
    }
  })

  it('of another shell is wrong usage', async () => {
    const { code, stderr } = await run(AF_VERIFY, ['completion', 'tcsh'])
    expect(code).toBe(2)
    expect(stderr).toContain('Allowed choices are bash, zsh, fish.')
  })
})
