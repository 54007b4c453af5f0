import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { Machine, Place } from './machine.ts'

/** The bytes of a file, and its bytes after a power cut. */
class File {
  bytes: Buffer = Buffer.alloc(0)
  synced: Buffer = Buffer.alloc(0)
}

class Folder {
  entries = new Map<string, File | Folder>()
  synced = new Map<string, File | Folder>()
}

/** The change in the folder `place` that fails. A folder's changes count from 1 in each epoch. */
export interface DiskFault {
  readonly epoch: number
  readonly place: Place
  readonly op: number
  readonly code: string
}

const SLOW_MS = 3

/**
 * A disk in memory behind `node:fs/promises`, with the operations that a validator uses. A power
 * cut deletes everything that was not synced. Syncing a file saves its bytes, syncing a folder
 * saves the names in it.
 */
export class Disk {
  readonly root: string
  readonly #machine: Pick<Machine, 'jitter' | 'perform'>
  readonly #folder = new Folder()
  readonly #faults: readonly DiskFault[]
  #epoch = 0
  readonly #changes = new Map<Place, number>()

  constructor(
    root: string,
    machine: Pick<Machine, 'jitter' | 'perform'>,
    faults: readonly DiskFault[],
  ) {
    this.root = root
    this.#machine = machine
    this.#faults = faults
  }

  begin(epoch: number): void {
    this.#epoch = epoch
    this.#changes.clear()
  }

  cutPower(): void {
    cut(this.#folder)
  }

  /** Empties the disk. */
  replace(): void {
    this.#folder.entries.clear()
    this.#folder.synced.clear()
  }

  /**
   * Returns a file's current bytes, or null if there is no file. Does not count as an operation.
   */
  peek(path: string): Buffer | null {
    const found = this.#find(`${this.root}/${path}`)
    return found instanceof File ? found.bytes : null
  }

  readonly #operations = {
    mkdir: (path: string) =>
      this.#change('mkdir', path, () => {
        if (this.#find(path)) fail('EEXIST', 'mkdir', path)
        this.#parent('mkdir', path).entries.set(nameOf(path), new Folder())
      }),
    appendFile: async (path: string, data: string) => {
      const file = await this.#open(path, 'a')
      await this.#append(file as File, path, data)
    },
    writeFile: async (path: string, data: Uint8Array, options: { readonly flush?: boolean }) => {
      const file = (await this.#open(path, 'wx')) as File
      await this.#append(file, path, data)
      if (options.flush) await this.#sync(file, path)
    },
    readFile: (path: string) =>
      this.#read(path, () => Buffer.from(this.#fileAt('open', path).bytes)),
    truncate: (path: string, size: number) =>
      this.#change('truncate', path, () => shorten(this.#fileAt('open', path), size)),
    link: (from: string, to: string) =>
      this.#change('link', to, () => {
        if (this.#find(to)) fail('EEXIST', 'link', to)
        this.#parent('link', to).entries.set(nameOf(to), this.#fileAt('link', from))
      }),
    rm: (path: string) =>
      this.#change('rm', path, () => {
        const parent = this.#find(folderOf(path))
        if (parent instanceof Folder) parent.entries.delete(nameOf(path))
      }),
    realpath: (path: string) =>
      this.#read(path, () => (this.#find(path) ? path : fail('ENOENT', 'realpath', path))),
    stat: (path: string) =>
      this.#read(path, () => ({ isDirectory: () => this.#find(path) instanceof Folder })),
    open: async (path: string, flags: string | number = 'r') => {
      const found = await this.#open(path, flags)
      return this.#handle(found, path)
    },
  }

  /** Acts like the function of `node:fs/promises` with this name. */
  call(name: Operation, words: readonly unknown[]): unknown {
    return (this.#operations[name] as (...words: readonly unknown[]) => unknown)(...words)
  }

  #handle(found: File | Folder, path: string): object {
    const file = found as File
    const { bytes } = file
    return {
      stat: () =>
        this.#read(path, () => ({ isFile: () => found instanceof File, size: bytes?.length })),
      sync: () => this.#sync(found, path),
      datasync: () => this.#sync(found, path),
      appendFile: (data: string) => this.#append(file, path, data),
      truncate: (size: number) => this.#change('ftruncate', path, () => shorten(file, size)),
      close: () => this.#read(path, () => undefined),
      read: async (target: Uint8Array, at: number) => ({ bytesRead: bytes.copy(target, at, at) }),
      [Symbol.asyncDispose]: async () => undefined,
    }
  }

  #open(path: string, flags: string | number): Promise<File | Folder> {
    if (flags !== 'a' && flags !== 'wx')
      return this.#read(path, () => this.#find(path) ?? fail('ENOENT', 'open', path))
    return this.#change('open', path, () => {
      const parent = this.#parent('open', path)
      const known = parent.entries.get(nameOf(path))
      if (known && flags === 'wx') fail('EEXIST', 'open', path)
      const file = known ?? new File()
      parent.entries.set(nameOf(path), file)
      return file
    })
  }

  #append(file: File, path: string, data: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(data)
    const put = (part: Buffer) => {
      file.bytes = Buffer.concat([file.bytes, part])
    }
    const half = () => put(bytes.subarray(0, bytes.length >> 1))
    return this.#change('write', path, () => put(bytes), half)
  }

  #sync(found: File | Folder, path: string): Promise<void> {
    return this.#change('fsync', path, () => {
      if (found instanceof File) found.synced = found.bytes
      else found.synced = new Map(found.entries)
    })
  }

  #read<T>(path: string, act: () => T): Promise<T> {
    const ms = this.#machine.jitter(SLOW_MS)
    return this.#machine.perform({ place: this.#placeOf(path), ms, act })
  }

  /** Returns the top folder of a path. */
  #placeOf(path: string): Place {
    return (this.#parts(path)[0] ?? 'v1') as Place
  }

  #change<T>(what: string, path: string, act: () => T, half?: () => void): Promise<T> {
    const place = this.#placeOf(path)
    const op = 1 + (this.#changes.get(place) ?? 0)
    this.#changes.set(place, op)
    const fault = this.#faults.find(
      (each) => each.epoch === this.#epoch && each.place === place && each.op === op,
    )
    const ms = this.#machine.jitter(SLOW_MS)
    if (fault === undefined) return this.#machine.perform({ place, ms, half, act })
    const failHalfway = (): never => {
      half?.()
      fail(fault.code, what, path)
    }
    return this.#machine.perform({ place, ms, half, act: failHalfway })
  }

  #parts(path: string): readonly string[] {
    return path.slice(this.root.length).split('/').filter(Boolean)
  }

  #find(path: string): File | Folder | undefined {
    let found: File | Folder | undefined = this.#folder
    for (const name of this.#parts(path)) {
      if (!(found instanceof Folder)) return undefined
      found = found.entries.get(name)
    }
    return found
  }

  #parent(what: string, path: string): Folder {
    const found = this.#find(folderOf(path))
    return found instanceof Folder ? found : fail('ENOENT', what, path)
  }

  #fileAt(what: string, path: string): File {
    const found = this.#find(path)
    return found instanceof File ? found : fail('ENOENT', what, path)
  }
}

function cut(folder: Folder): void {
  folder.entries = new Map(folder.synced)
  for (const found of folder.entries.values()) {
    if (found instanceof Folder) cut(found)
    else found.bytes = found.synced
  }
}

function shorten(file: File, size: number): void {
  file.bytes = file.bytes.subarray(0, size)
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Throws an error like the errors of `node:fs`. */
function fail(code: string, what: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${what} '${path}'`), { code, syscall: what })
}

const mounted = new Map<string, Disk>()

/** Makes a disk available at its root. Disposal unmounts it. */
export function mount(disk: Disk): Disposable {
  mounted.set(disk.root, disk)
  return { [Symbol.dispose]: () => mounted.delete(disk.root) }
}

/** Returns the disk mounted at `/simulated/<name>`. */
const diskAt = (path: unknown): Disk | undefined =>
  mounted.get(/^\/simulated\/[^/]+/.exec(String(path))?.[0] ?? '')

const OPERATIONS = [
  'appendFile',
  'link',
  'mkdir',
  'open',
  'readFile',
  'realpath',
  'rm',
  'stat',
  'truncate',
  'writeFile',
] as const
type Operation = (typeof OPERATIONS)[number]

const promises = fs.promises as unknown as Record<string, (...words: unknown[]) => unknown>
for (const name of OPERATIONS) {
  const real = promises[name]!
  promises[name] = (...words) => {
    const disk = diskAt(words[0])
    return disk ? disk.call(name, words) : real.apply(promises, words)
  }
}
syncBuiltinESMExports()
