import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'

const run = promisify(execFile)

/** Reports whether this machine has Slurm and this user may start a node. */
export function hasSlurm(): boolean {
  try {
    execFileSync('slurmctld', ['-V'])
    return userInfo().uid === 0
  } catch {
    return false
  }
}

/** A Slurm cluster with this machine as its only node, with two processors. */
export class Slurm {
  readonly #env: NodeJS.ProcessEnv
  readonly #daemons: readonly ChildProcess[]

  /** Starts the cluster in an empty folder. `env` has the variables of its commands and jobs. */
  constructor(folder: string, env: NodeJS.ProcessEnv) {
    const conf = join(folder, 'slurm.conf')
    for (const name of ['state', 'spool']) mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(conf, configuration(folder))
    this.#env = { ...process.env, ...env, SLURM_CONF: conf }
    this.#daemons = ['slurmctld', 'slurmd'].map((name) =>
      spawn(name, ['-D'], { env: this.#env, stdio: 'ignore' }),
    )
  }

  /** Resolves when the node can run jobs. */
  async ready(): Promise<void> {
    const states = () =>
      run('sinfo', ['--noheader', '--format=%T'], { env: this.#env }).catch(() => undefined)
    await expect.poll(states, { timeout: 60_000 }).toMatchObject({ stdout: 'idle\n' })
  }

  /** Submits a job. Resolves with its id. */
  async submit(...words: readonly string[]): Promise<string> {
    const { stdout } = await run('sbatch', ['--parsable', ...words], { env: this.#env })
    return stdout.trim()
  }

  /** Resolves with the description of a job. */
  async show(id: string): Promise<string> {
    return (await run('scontrol', ['show', 'job', id], { env: this.#env })).stdout
  }

  stop(): void {
    for (const daemon of this.#daemons) daemon.kill('SIGKILL')
  }
}

/** Returns a configuration without cgroups and authentication, for one user on one machine. */
function configuration(folder: string): string {
  const [host, { username }] = [hostname(), userInfo()]
  const settings = {
    ClusterName: 'affine',
    SlurmctldHost: `${host}(127.0.0.1)`,
    AuthType: 'auth/none',
    CredType: 'cred/none',
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    SelectType: 'select/cons_tres',
    MpiDefault: 'none',
    SchedulerParameters: 'batch_sched_delay=0,sched_interval=1',
    SlurmUser: username,
    SlurmdUser: username,
    SlurmctldPort: 16_817,
    SlurmdPort: 16_818,
    StateSaveLocation: join(folder, 'state'),
    SlurmdSpoolDir: join(folder, 'spool'),
    SlurmctldPidFile: join(folder, 'slurmctld.pid'),
    SlurmdPidFile: join(folder, 'slurmd.pid'),
  }
  return [
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    `NodeName=${host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=2048 State=UNKNOWN`,
    'PartitionName=all Nodes=ALL Default=YES State=UP',
    '',
  ].join('\n')
}
