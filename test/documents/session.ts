import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { AF, AF_VERIFY } from '../processes.ts'
import type { Snippet } from './page.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The Python of an environment with python[test]. */
export const PYTHON: string | undefined = process.env.TEST_PYTHON

/** Default ports of programs. */
const USUAL = [
  { command: /^(npx )?af localnet/, port: 9944 },
  { command: /^(npx )?af miner/, port: 8001 },
  { command: /^(npx )?af serve/, port: 8080 },
  { command: /^uvicorn/, port: 8000 },
]

/** The folder of the packages that a page installs. All pages share the environment of `PYTHON`. */
const INSTALLED = '.venv/lib'
/** Installs the package of a page without network. */
const PIP = `pip install -q --no-build-isolation --no-deps --target ${INSTALLED} .`

/** A session of a reader who types the commands of a page in a new folder. */
export interface Session {
  /** Writes a file of the page. */
  write(name: string, text: string): Promise<void>
  /** Runs a snippet. Resolves with its standard output; rejects with all output if it fails. */
  run(snippet: Snippet): Promise<string>
  /** Starts each line as a program. Resolves once each listens on its port or prints something. */
  serve(snippet: Snippet): Promise<void>
  /** Returns the files that `git add -A` would stage in a checkout, one per line. */
  staged(): string
  close(): Promise<void>
}

/** Free ports that pages were given. Their programs may start much later. */
const found = new Set<number>()

/** Resolves with a free port that was not found before. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
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

/** Adds `--port` with the default port to a command. */
function withPort(line: string): string {
  const usual = USUAL.find(({ command }) => command.test(line))
  if (usual === undefined || line.includes('--port')) return line
  return `${line.replace(/\s+#.*$/, '')} --port ${usual.port}`
}

/** Resolves once a program listens on a port, or has ended. */
async function listens(program: ChildProcess, port: number): Promise<void> {
  while (program.exitCode === null && program.signalCode === null) {
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

/** Makes a folder a Git repository with our `.gitignore` that tracks the files of the test. */
async function initGit(folder: string): Promise<void> {
  execFileSync('git', ['init', '--quiet', folder])
  await copyFile(join(root, '.gitignore'), join(folder, '.gitignore'))
  execFileSync('git', ['-C', folder, 'add', '.'])
}

export async function openSession(page: string): Promise<Session> {
  const folder = await mkdtemp(join(tmpdir(), 'document-'))
  const bin = await programsIn(folder)
  for (const name of ['python', 'node_modules']) await symlink(join(root, name), join(folder, name))
  await initGit(folder)
  const withPorts = await freePorts(page)
  const path = [bin, ...(PYTHON ? [dirname(PYTHON)] : []), process.env.PATH].join(':')
  const inherited = Object.entries(process.env).filter(([name]) => !/^AFFINE_|^VITEST/.test(name))
  const packages = { PYTHONPATH: join(folder, INSTALLED) }
  const env = { ...Object.fromEntries(inherited), PATH: path, NO_COLOR: '1', ...packages }
  const running = new Set<ChildProcess>()

  function begin(program: string, words: readonly string[]) {
    const options = { cwd: folder, env, detached: true }
    const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output.stderr += text
    })
    const ended = once(child, 'close').then(([code]) => {
      running.delete(child)
      return code as number | null
    })
    return { child, output, ended }
  }

  async function serveLine(line: string): Promise<void> {
    const command = withPorts(withPort(line))
    const { child, output, ended } = begin('bash', ['-c', `exec ${command}`])
    const port = /--port (\d+)/.exec(command)?.[1]
    const isReady = port === undefined ? once(child.stdout, 'data') : listens(child, Number(port))
    const code = await Promise.race([isReady.then(() => undefined), ended])
    if (code !== undefined) throw new Error(`${line} ended with ${code}:\n${output.stderr}`)
  }

  return {
    async write(name, text) {
      await writeFile(join(folder, name), `${text}\n`)
      execFileSync('git', ['-C', folder, 'add', name])
    },
    async run({ language, text }) {
      const lines = text.replace(/^pip install \.$/m, PIP).split('\n')
      const program = withPorts(lines.map(withPort).join('\n'))
      const words = { sh: ['bash', '-ec', program], python: ['python', '-c', program] }[language]
      if (words === undefined) throw new Error(`nothing runs ${language}`)
      const [name = '', ...rest] = words
      const { output, ended } = begin(name, rest)
      const code = await ended
      if (code !== 0)
        throw new Error(`${text}\nended with ${code}:\n${output.stdout}${output.stderr}`)
      return output.stdout
    },
    async serve({ text }) {
      for (const line of text.split('\n')) await serveLine(line)
    },
    staged: () =>
      execFileSync('git', ['-C', folder, 'add', '-A', '--dry-run'], { encoding: 'utf8' }),
    async close() {
      const ends = [...running].map((child) => once(child, 'close'))
      for (const { pid = 0 } of running) process.kill(-pid, 'SIGKILL')
      await Promise.all(ends)
      await rm(folder, { recursive: true })
    },
  }
}
