// Makes the disk and the clock of a process fail. A process loads this file with `--import`, and
// the variable FAULTS contains the faults as JSON: an object of type Faults, or a list of them. A
// test calls `setFaults` in its own process.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname } from 'node:path'

/**
 * @typedef {object} Faults
 * @property {string} [fault] the code of an error; or KILL, the death of the process; or CUT, a
 *   power cut, which also removes everything that was not synced. A failing write first writes half
 *   of its bytes. Default: no fault.
 * @property {string} [path] a regular expression for the files and folders. Default: all.
 * @property {string} [op] a regular expression for the operations on them. Default: all.
 * @property {number} [from] the first of these operations that fails, from 1; all later ones fail
 *   too. Default: 1.
 * @property {string} [memory] a file in which a killed process records what is not synced, for the
 *   next process
 * @property {number} [clock] the maximum error of the clock in milliseconds, in both directions,
 *   drawn again at every reading
 */
/** @type {Faults[]} */
const ways = [JSON.parse(process.env.FAULTS ?? '{}')].flat()
const { memory, clock } = ways[0] ?? {}
let faults = []
/** Makes the disk fail in these ways, and in no others, from now on. */
export function setFaults(ways) {
  faults = ways
    .filter(({ fault }) => fault !== undefined)
    .map((way) => ({ path: '', op: '', from: 1, matches: 0, ...way }))
}
setFaults(ways)
const real = { ...fs.promises }
const probe = await real.open(process.execPath)
const file = Object.getPrototypeOf(probe)
const handles = Object.fromEntries(
  ['appendFile', 'writeFile', 'datasync', 'sync', 'truncate'].map((op) => [op, file[op]]),
)
await probe.close()
/** Paths of open files and folders by handle. @type {WeakMap<object, string>} */
const places = new WeakMap()

// What a power cut removes: new files and folders, by name, and the bytes of a file after its size
// at the last sync.
/** @type {{ names: string[], sizes: Record<string, number> }} */
const unsynced =
  memory && fs.existsSync(memory)
    ? JSON.parse(fs.readFileSync(memory, 'utf8'))
    : { names: [], sizes: {} }
if (memory) fs.rmSync(memory, { force: true })
const sizeOf = (path) => fs.statSync(path, { throwIfNoEntry: false })?.size
const isNew = (path) => unsynced.names.push(path)
const isWritten = (path) => {
  unsynced.sizes[path] ??= sizeOf(path) ?? 0
}
const isSynced = (path) => {
  delete unsynced.sizes[path]
  unsynced.names = unsynced.names.filter((name) => dirname(name) !== path)
}

function die(fault, what) {
  if (fault === 'KILL' && memory) fs.writeFileSync(memory, JSON.stringify(unsynced))
  if (fault === 'CUT') {
    for (const [path, size] of Object.entries(unsynced.sizes))
      if (sizeOf(path) !== undefined) fs.truncateSync(path, size)
    for (const path of unsynced.names) fs.rmSync(path, { recursive: true, force: true })
  }
  fs.writeSync(2, `${fault} at ${what}\n`)
  process.kill(process.pid, 'SIGKILL')
}

/** Counts an operation. Returns the fault that is due in it, if any. */
function dueAt(op, path) {
  return faults.find((each) => {
    const isMeant =
      new RegExp(`^(${each.op || '.*'})$`).test(op) && new RegExp(each.path).test(path)
    if (!isMeant) return false
    each.matches += 1
    return each.matches >= each.from
  })
}

async function meet(op, path, bytes = '', writeSome = undefined) {
  const { fault } = dueAt(op, path) ?? {}
  if (fault === undefined) return
  const half = Buffer.from(bytes).subarray(0, Buffer.byteLength(bytes) >> 1)
  if (half.length > 0) await writeSome?.(half)
  if (fault === 'KILL' || fault === 'CUT') die(fault, `${op} ${path}`)
  // Like the system's errors: errors of operations on open files do not name the file.
  throw refusal(fault, op in handles ? op : `${op} '${path}'`)
}

const refusal = (fault, what) =>
  Object.assign(new Error(`${fault}: put there by the test, ${what}`), {
    code: fault,
    syscall: what.split(' ')[0],
  })

const { promises } = fs
/** Replaces an operation by `act` while there are faults. */
function replace(op, act) {
  promises[op] = (...words) => (faults.length > 0 ? act(...words) : real[op](...words))
}
replace('mkdir', async (path, options) => {
  await meet('mkdir', `${path}`)
  const made = await real.mkdir(path, options)
  isNew(`${path}`)
  return made
})
replace('link', async (from, to) => {
  await meet('link', `${to}`)
  await real.link(from, to)
  isNew(`${to}`)
  const size = unsynced.sizes[`${from}`]
  if (size !== undefined) unsynced.sizes[`${to}`] = size
})
for (const op of ['rm', 'truncate'])
  replace(op, async (path, how) => {
    await meet(op, `${path}`)
    return real[op](path, how)
  })
const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR
promises.open = async (path, flags = 'r', ...rest) => {
  const place = `${path}`
  const known = sizeOf(place) !== undefined
  const isRead = flags === 'r' || (typeof flags === 'number' && (flags & WRITING) === 0)
  if (!isRead) await meet('open', place)
  const handle = await real.open(path, flags, ...rest)
  // Reading creates no file: another process may have created it after `known` was determined.
  if (!known && !isRead) isNew(place)
  places.set(handle, place)
  return handle
}
const writer =
  (op, flags) =>
  async (path, bytes, { flag = flags, flush = false, mode = 0o666 } = {}) => {
    const handle = await promises.open(path, flag, mode)
    try {
      await handle[op](bytes)
      if (flush) await handle.sync()
    } finally {
      await handle.close()
    }
  }
replace('writeFile', writer('writeFile', 'w'))
replace('appendFile', writer('appendFile', 'a'))
for (const [op, act] of Object.entries(handles))
  file[op] = async function (bytes, ...rest) {
    const path = places.get(this)
    if (path === undefined || faults.length === 0) return act.call(this, bytes, ...rest)
    const writes = op.endsWith('File')
    if (writes) isWritten(path)
    await meet(op, path, writes ? bytes : '', (half) => act.call(this, half))
    const result = await act.call(this, bytes, ...rest)
    if (op.endsWith('sync')) isSynced(path)
    return result
  }

const { openSync, writeFileSync } = fs
/** Paths of files opened by `openSync`, by descriptor. @type {Map<number, string>} */
const descriptors = new Map()
fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest)
  descriptors.set(descriptor, `${path}`)
  return descriptor
}
fs.writeFileSync = (file, ...rest) => {
  const path = descriptors.get(file)
  const { fault } = (path !== undefined && dueAt('writeFileSync', path)) || {}
  if (fault !== undefined) throw refusal(fault, 'writeFileSync')
  return writeFileSync(file, ...rest)
}

if (clock !== undefined) {
  const now = Date.now.bind(Date)
  Date.now = () => now() + Math.round((Math.random() * 2 - 1) * clock)
}
syncBuiltinESMExports()
