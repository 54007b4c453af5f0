// Runs Bittensor's own runtime, spec 293, with development keys (//Alice is sudo), at
// ws://127.0.0.1:9944:
//
//     node scripts/local-runtime.mjs [--port 9944] [--block-ms 1000] [--spec aura-dev.json]
//         [-- command …]
//
// A block comes every --block-ms milliseconds (0: never) and at every call of the RPC dev_newBlock.
// With a command, runs it with SUBTENSOR_ENDPOINT set and ends with its exit code.
// The first run fetches chopsticks from npm (180 MB) and the chain's specification from GitHub.
// Both are cached in ~/.cache/affine/runtime.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const PACKAGES = ['@acala-network/chopsticks-core@1.5.1', '@polkadot/util@14', 'ws@8']
const COMMIT = 'f59e608b2128586215ea396156a1d04b14724888'
const SPEC_URL = `https://raw.githubusercontent.com/opentensor/subtensor/${COMMIT}/aura-dev.json`
const SPEC_SHA256 = 'c321edb119707219b5f3fe602ad2f3180cd9e4492dbceee16e46b54a1facba2d'
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'affine', 'runtime')
const CODE = '0x3a636f6465' // the storage key ":code", of the runtime's code
// the storage key of Timestamp.Now, the time of a block
const NOW = '0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb'
const HOST = { mockSignatureHost: false, allowUnresolvedImports: true }
const shell = process.platform === 'win32'

process.env.LOG_LEVEL ??= 'error' // chopsticks reads it when it is loaded
const text = (value) => ({ type: 'string', ...(value && { default: value }) })
const options = { port: text('9944'), 'block-ms': text('1000'), spec: text() }
const { values, positionals: command } = parseArgs({ allowPositionals: true, options })
const [port, blockMs] = [Number(values.port), Number(values['block-ms'])]
if (!(port >= 0 && port < 65_536 && blockMs >= 0))
  fail('expected "--port" to be 0..65535 and "--block-ms" 0 or more')

mkdirSync(CACHE, { recursive: true })
const specification = await readSpecification()
const load = install()
const [chopsticks, util] = [load('@acala-network/chopsticks-core'), load('@polkadot/util')]
const chain = await start(await makeGenesis(specification))
// While chopsticks builds a block, the block's transactions are neither in the pool nor in the
// head's state, and an account's next index would be too low. So building a block and reading an
// index take turns.
let turn = Promise.resolve()
const inTurn =
  (task) =>
  (...words) => {
    const done = turn.then(() => task(...words))
    turn = done.catch(() => {})
    return done
  }
chain.newBlock = inTurn(chain.newBlock.bind(chain))
process.env.SUBTENSOR_ENDPOINT = `ws://127.0.0.1:${await serve()}`
console.log(`the runtime listens at ${process.env.SUBTENSOR_ENDPOINT}`)
const tick = () => setTimeout(() => chain.newBlock().then(tick), blockMs)
if (blockMs > 0) tick()
const child = command[0] && spawn(command[0], command.slice(1), { stdio: 'inherit', shell })
child?.on('error', ({ message }) => fail(`cannot run ${command[0]}: ${message}`))
child?.on('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => child?.kill(signal) || process.exit(0))

function fail(message) {
  console.error(message)
  process.exit(1)
}

/** Returns the chain's specification: the named file, or the cached file at COMMIT. */
async function readSpecification() {
  const path = values.spec ?? join(CACHE, 'aura-dev.json')
  if (existsSync(path)) return JSON.parse(readFileSync(path))
  if (values.spec) fail(`"--spec" expected a file, got ${path}`)
  console.log(`fetching ${SPEC_URL}`)
  const response = await fetch(SPEC_URL).catch(({ message, cause }) => ({
    status: cause?.message ?? message,
  }))
  if (!response.ok)
    fail(
      `cannot fetch ${SPEC_URL}: ${response.status}. ` +
        'Get that file elsewhere and name it with --spec',
    )
  const bytes = Buffer.from(await response.arrayBuffer())
  const hash = createHash('sha256').update(bytes).digest('hex')
  if (hash !== SPEC_SHA256) fail(`${SPEC_URL} has the sha256 ${hash}, expected ${SPEC_SHA256}`)
  writeFileSync(`${path}.part`, bytes)
  renameSync(`${path}.part`, path)
  return JSON.parse(bytes)
}

/** Installs `PACKAGES` into the folder `CACHE`. Returns a `require` that finds them. */
function install() {
  const stamp = join(CACHE, 'installed')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== PACKAGES.join()) {
    console.log(`installing ${PACKAGES.join(', ')} in ${CACHE}`)
    writeFileSync(join(CACHE, 'package.json'), '{ "private": true }\n')
    const words = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES]
    const { status } = spawnSync('npm', words, { cwd: CACHE, stdio: 'inherit', shell })
    if (status !== 0) fail(`npm cannot install ${PACKAGES.join(', ')} in ${CACHE}`)
    writeFileSync(stamp, PACKAGES.join())
  }
  return createRequire(join(CACHE, 'package.json'))
}

/** Returns block 0, which the runtime makes from the specification, in the form for chopsticks. */
async function makeGenesis({ name, id, properties, genesis }) {
  const { code, patch } = genesis.runtimeGenesis
  const preset = util.hexToU8a(
    (await callRuntime(code, 'GenesisBuilder_get_preset', '0x00')).result,
  )
  const [, text] = util.compactStripLength(preset.subarray(1)) // without Some's byte
  const defaults = JSON.parse(util.u8aToString(text))
  const config = util.compactAddLength(util.stringToU8a(JSON.stringify(merge(defaults, patch))))
  const { result, storageDiff } = await callRuntime(
    code,
    'GenesisBuilder_build_state',
    util.u8aToHex(config),
  )
  if (result !== '0x00')
    fail(`the runtime cannot make a genesis from this specification: ${result}`)
  const top = { ...Object.fromEntries(storageDiff.filter(([, value]) => value)), [CODE]: code }
  return { name, id, properties, genesis: { raw: { top } } }
}

function merge(target, patch) {
  if (patch?.constructor !== Object) return patch
  const changed = Object.entries(patch).map(([key, value]) => [key, merge(target?.[key], value)])
  return { ...target, ...Object.fromEntries(changed) }
}

/** Runs a function of the runtime on empty storage. */
async function callRuntime(wasm, name, ...args) {
  const nothing = async () => undefined
  const storage = { ...chopsticks.emptyTaskHandler, getStorage: nothing, getNextKey: nothing }
  const answer = await chopsticks.runTask(
    { wasm, calls: [[name, args]], runtimeLogLevel: 0, ...HOST },
    storage,
  )
  return answer.Call ?? fail(`the runtime's ${name} failed: ${answer.Error}`)
}

async function start(raw) {
  const { Block, GenesisProvider, getAuraSlotDuration, setup, StorageLayer } = chopsticks
  const code = raw.genesis.raw.top[CODE]
  // chopsticks calls the runtime for the length of a slot, but without allowing unresolved imports,
  // which this runtime has. The call fails, and chopsticks assumes 12 s, so blocks would not fit
  // their slots. chopsticks caches the length by code, so the right length is put there first.
  const slot = (await callRuntime(code, 'AuraApi_slot_duration')).result
  const slotMs = util.u8aToBn(util.hexToU8a(slot)).toNumber()
  getAuraSlotDuration.cache.set(code, Promise.resolve(slotMs))
  // Block 0 gets a time. Without it chopsticks would read the clock twice for block 1, and a slot
  // could end in between.
  const now = util.bnToHex(Math.floor(Date.now() / slotMs) * slotMs, { bitLength: 64, isLe: true })
  const top = Object.entries({ ...raw.genesis.raw.top, [NOW]: now })
  // chopsticks needs the keys of this object sorted.
  raw.genesis.raw.top = Object.fromEntries(top.sort(([a], [b]) => (a < b ? -1 : 1)))
  // With the default of this option, chopsticks drops the first blocks.
  const keepAll = { maxMemoryBlockCount: Number.MAX_SAFE_INTEGER }
  const chain = await setup({
    genesis: new GenesisProvider(raw),
    buildBlockMode: 'Manual',
    ...HOST,
    ...keepAll,
  })
  // A block stores only its changes, and a read searches all blocks before it, so every 32nd block
  // gets the whole storage.
  const all = { ...raw.genesis.raw.top, ...(await chain.head.storageDiff()) }
  chain.onNewBlock = async (block) => {
    const parent = await block.parentBlock
    // dev_setStorage may have changed the parent's storage
    Object.assign(all, await parent.storageDiff(), await block.storageDiff())
    if (block.number % 32 !== 0) return chain.setHead(block)
    const [header, extrinsics, storage] = [
      await block.header,
      await block.extrinsics,
      new StorageLayer(),
    ]
    storage.setAll(all)
    return chain.setHead(
      new Block(chain, block.number, block.hash, parent, { header, extrinsics, storage }),
    )
  }
  return chain
}

/**
 * Serves JSON-RPC over WebSocket, except dev_setHead: it can begin a fork, and `start` tracks the
 * storage of a chain without forks. Resolves with the port.
 */
async function serve() {
  const { dev_setHead: _, system_accountNextIndex: next, ...others } = chopsticks.allHandlers
  const handlers = { ...others, system_accountNextIndex: inTurn(next) }
  const server = new (load('ws').WebSocketServer)({ port, host: '127.0.0.1' })
  server.on('connection', (socket) => {
    const ends = new Map()
    const say = (message) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
    const subscribe = (method, subscription, end) => {
      ends.set(subscription, end)
      return (result) => ends.has(subscription) && say({ method, params: { subscription, result } })
    }
    const unsubscribe = (subscription) => {
      ends.get(subscription)?.(subscription)
      ends.delete(subscription)
    }
    socket.on('close', () => [...ends.keys()].forEach(unsubscribe))
    const answer = async ({ method, params = [] }) => {
      if (!handlers[method]) throw { code: -32601, message: `there is no method ${method}` }
      return {
        result: (await handlers[method]({ chain }, params, { subscribe, unsubscribe })) ?? null,
      }
    }
    socket.on('message', async (data) => {
      const request = JSON.parse(data)
      const refuse = ({ code = -32603, message }) => ({ error: { code, message } })
      say({ id: request.id, ...(await answer(request).catch(refuse)) })
    })
  })
  await once(server, 'listening').catch(({ message }) => fail(message))
  return server.address().port
}
