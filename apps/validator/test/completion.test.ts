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
  const options = { cwd: root, env, encoding: 'utf8', timeout: 60_000 } as const
  try {
    return execFileSync(program, words, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** For each shell, a script that says what the line that is `$1` may become, a word a line. */
const SHELLS = {
  bash: (name: string, line: string) => `
    source <(${name} completion bash)
    IFS=' ' read -ra COMP_WORDS <<< '${line}'
    [[ '${line}' = *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    $(complete -p ${name} | sed 's/.* -F \\([^ ]*\\) .*/\\1/') ${name}
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: (name: string, line: string) => `
    ${name} completion fish | source
    complete -C '${line}' | cut -f1`,
  zsh: (name: string, line: string) => `
    compdef() { called=$1 }
    _describe() { print -rl -- "\${(@)\${(P@)2}%%:*}" }
    _files() { print -rl -- * }
    source <(${name} completion zsh)
    words=("\${(@s: :)\${:-${line}}}"); CURRENT=$#words
    $called`,
}

const isThere = (shell: string): boolean => said(shell, '-c', 'true') !== null

describe.each(Object.entries(SHELLS))('%s', (shell, scriptFor) => {
  const completed = (line: string): readonly string[] => {
    const [name = ''] = line.split(' ')
    return (said(shell, '-c', scriptFor(name, line)) ?? '').split('\n').filter(Boolean).sort()
  }
  const asked: readonly (readonly [string, readonly string[]])[] = [
    ['af de', ['demo']],
    ['af env ', ['list', 'run', 'serve']],
    ['af chain sna', ['snapshot']],
    ['af demo --o', ['--open', '--out']],
    ['af demo --env', ['--env-file']],
    ['af env run --ver', ['--verify']],
    ['af env run ', ['mult8-v0', 'tictactoe-v0']],
    ['af env serve mult8-v0 tic', ['tictactoe-v0']],
    ['af duel 0.5 0.6 --env mult8-v0 t', ['tictactoe-v0']],
    ['af practise --against ', ['champion']],
    ['af status --network fin', ['finney']],
    ['af-verify j', ['join']],
    ['af-verify --from', ['--from-epoch']],
    ['af-verify buckets join --from', ['--from-epoch']],
    ['af-verify --network l', ['local']],
    ['af completion f', ['fish']],
  ]
  it.skipIf(!isThere(shell))(
    'completes commands, options and values',
    () => {
      for (const [line, want] of asked) expect([line, completed(line)]).toEqual([line, want])
    },
    180_000,
  )
})

describe('completion', () => {
  it('leaves files to the shell, whatever was typed', async () => {
    const lines = ['validate --key ', 'status --env-file ', 'env list x', 'demo --seed=']
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
