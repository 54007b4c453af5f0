import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { AF, AF_VERIFY, type RunningProcess, startCommand } from '../processes.ts'
import { read, root } from '../repository.ts'
import { listen } from '../web-server.ts'
import { printedBy, runnable, type Snippet, snippetsOf } from './page.ts'

/** The Python of an environment with python[test]. Undefined skips snippets that need Python. */
const PYTHON: string | undefined = process.env.TEST_PYTHON

/** Default ports of programs. */
const USUAL = [
  { command: /^(npx )?af localnet/, port: 9944 },
  { command: /^(npx )?af miner/, port: 8001 },
  { command: /^(npx )?af serve/, port: 8080 },
  { command: /^uvicorn/, port: 8000 },
]

/** The folder of the packages that a page installs. All pages share the environment of `PYTHON`. */
const INSTALLED = '.venv/lib'
/** The command that installs the package of a page without network. */
const PIP = `pip install -q --no-build-isolation --no-deps --target ${INSTALLED} .`

/** Free ports that pages were given. Their programs may start much later. */
const found = new Set<number>()

/** Resolves with a free port that was not found before. */
async function freePort(): Promise<number> {
  const server = createServer()
  const port = Number(new URL(await listen(server)).port)
  server.close()
  if (found.has(port)) return freePort()
  found.add(port)
  return port
}

/** Resolves with a function that replaces the page's ports, which may be in use, by free ones. */
async function freePorts(page: string): Promise<(text: string) => string> {
  const named = page.matchAll(/(?:--port |127\.0\.0\.1:)(\d{4,5})/g)
  const ports = [...[...named].map(([, port]) => Number(port)), ...USUAL.map(({ port }) => port)]
  const others = new Map<string, number>()
  for (const port of new Set(ports)) others.set(String(port), await freePort())
  return (text) => text.replace(/\b\d{4,5}\b/g, (port) => String(others.get(port) ?? port))
}

/** Adds `--port` with the default port to a command that has no `--port`. */
function withPort(line: string): string {
  const usual = USUAL.find(({ command }) => command.test(line))
  if (usual === undefined || line.includes('--port')) return line
  return `${line.replace(/\s+#.*$/, '')} --port ${usual.port}`
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null

/** Resolves once a program listens on a port, or has ended. */
async function listens(program: ChildProcess, port: number): Promise<void> {
  while (isRunning(program)) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await setTimeout(100)
  }
}

/** Writes the programs with the names used in pages. Resolves with their folder. */
async function programsIn(folder: string): Promise<string> {
  const bin = join(folder, '.bin')
  await mkdir(bin)
  const node = `exec '${process.execPath}'`
  const programs = {
    af: `${node} '${AF}' "$@"`,
    'af-verify': `${node} '${AF_VERIFY}' "$@"`,
    npx: 'case $1 in af|af-verify) exec "$@";; *) echo "npx would fetch $1" >&2; exit 1;; esac',
  }
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`)
    await chmod(join(bin, name), 0o755)
  }
  return bin
}

/** Opens a session of a reader who types the commands of a page in a new folder. */
async function openSession(page: string) {
  const folder = await mkdtemp(join(tmpdir(), 'document-'))
  const bin = await programsIn(folder)
  for (const name of ['python', 'node_modules']) await symlink(join(root, name), join(folder, name))
  // The folder is a repository with our `.gitignore`, which tracks the files of the test.
  execFileSync('git', ['init', '--quiet', folder])
  await copyFile(join(root, '.gitignore'), join(folder, '.gitignore'))
  execFileSync('git', ['-C', folder, 'add', '.'])
  const withPorts = await freePorts(page)
  const path = [bin, ...(PYTHON ? [dirname(PYTHON)] : []), process.env.PATH].join(':')
  const inherited = Object.entries(process.env).filter(([name]) => !/^AFFINE_|^VITEST/.test(name))
  const packages = { PYTHONPATH: join(folder, INSTALLED) }
  const env = { ...Object.fromEntries(inherited), PATH: path, NO_COLOR: '1', ...packages }
  const started: RunningProcess[] = []

  function begin(program: string, words: readonly string[]): RunningProcess {
    const running = startCommand(program, words, { cwd: folder, env, detached: true })
    started.push(running)
    return running
  }

  async function serveLine(line: string): Promise<void> {
    const command = withPorts(withPort(line))
    const { child, says, ended } = begin('bash', ['-c', `exec ${command}`])
    const port = /--port (\d+)/.exec(command)?.[1]
    const isReady = port === undefined ? says(/./) : listens(child, Number(port))
    const end = await Promise.race([isReady.then(() => undefined), ended])
    if (end !== undefined) throw new Error(`${line} ended with ${end.code}:\n${end.stderr}`)
  }

  return {
    /** Writes a file of the page. */
    async write(name: string, text: string): Promise<void> {
      await writeFile(join(folder, name), `${text}\n`)
      execFileSync('git', ['-C', folder, 'add', name])
    },
    /** Runs a snippet. Resolves with its standard output; rejects with all output if it fails. */
    async run({ language, text }: Snippet): Promise<string> {
      const lines = text.replace(/^pip install \.$/m, PIP).split('\n')
      const program = withPorts(lines.map(withPort).join('\n'))
      const words = { sh: ['bash', '-ec', program], python: ['python', '-c', program] }[language]
      if (words === undefined) throw new Error(`nothing runs ${language}`)
      const [name = '', ...rest] = words
      const { code, stdout, stderr } = await begin(name, rest).ended
      if (code !== 0) throw new Error(`${text}\nended with ${code}:\n${stdout}${stderr}`)
      return stdout
    },
    /** Starts each line as a program. Resolves once each listens on its port or prints. */
    async serve({ text }: Snippet): Promise<void> {
      for (const line of text.split('\n')) await serveLine(line)
    },
    /** Returns the files that `git add -A` would stage in a checkout, one per line. */
    staged: (): string =>
      execFileSync('git', ['-C', folder, 'add', '-A', '--dry-run'], { encoding: 'utf8' }),
    async close(): Promise<void> {
      for (const { child } of started)
        if (isRunning(child)) process.kill(-(child.pid ?? 0), 'SIGKILL')
      await Promise.all(started.map(({ ended }) => ended))
      await rm(folder, { recursive: true })
    },
  }
}

/**
 * Runs the snippets of a page in order, in a new folder, and compares their output with the page.
 * Without TEST_PYTHON, skips snippets that need Python. Git must ignore all files that they write.
 */
export async function runPage(name: string): Promise<void> {
  const page = read(name)
  const all = snippetsOf(page)
  const session = await openSession(page)
  let count = 0
  try {
    for (const snippet of all.filter(runnable)) {
      const { language, note = '', text } = snippet
      const [, file] = /^file: (.*)$/.exec(note) ?? []
      if (file !== undefined) {
        await session.write(file, text)
        continue
      }
      const needsPython =
        language === 'python' || /^(python|pip|uvicorn|affine-verify) /m.test(text)
      if (/^(not run|tested): /.test(note) || (needsPython && !PYTHON)) continue
      count += 1
      if (note === 'serves') await session.serve(snippet)
      else {
        const output = await session.run(snippet)
        const printed = language === 'sh' ? '' : printedBy(snippet, all)
        if (printed !== '') expect(output).toBe(printed)
      }
    }
    expect(session.staged()).toBe('')
  } finally {
    await session.close()
  }
  expect(count > 0 || !PYTHON).toBe(true)
}
