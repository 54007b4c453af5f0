import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { pnpmCommand } from './pnpm.mjs'

/** Matches paths that are not copied: they contain no sources, and some may change meanwhile. */
const LEFT_OUT =
  /^(\.git|\.turbo|\.venv|api)$|(^|\/)(node_modules|dist|__pycache__|\.\w+_cache|\w+\.egg-info)$/

/** Copies the project into `folder` and installs it. Returns functions that change and check it. */
export function copyOf(folder) {
  const copy = join(folder, 'affine')
  const filter = (path) => !LEFT_OUT.test(relative('.', path))
  cpSync('.', copy, { recursive: true, verbatimSymlinks: true, filter })
  const write = (path, text) => writeFileSync(join(copy, path), text)
  const start = (program, ...words) => {
    const stdio = ['ignore', 'inherit', 'inherit']
    const { status } = spawnSync(program, words, { cwd: copy, stdio })
    if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}`)
  }
  const pnpm = (...words) => start(...pnpmCommand, '--loglevel=error', ...words)
  // The copy does not use the checkout's node_modules: pnpm would write the copy's path into them.
  pnpm('install', '--frozen-lockfile', '--reporter=append-only')
  return {
    copy,
    write,
    pnpm,
    /** Replaces the first match in a file. Throws without a match. */
    edit(path, pattern, replacement) {
      const text = readFileSync(join(copy, path), 'utf8')
      const edited = text.replace(pattern, replacement)
      if (edited === text) throw new Error(`${path} has no match of ${pattern}`)
      write(path, edited)
    },
    /** Runs an installed program, or a program at an absolute path. */
    run: (program, ...words) =>
      start(isAbsolute(program) ? program : join('node_modules', '.bin', program), ...words),
  }
}
