import { createBitReader } from '../../../packages/duel/src/acceptance.ts'
import {
  decide,
  encodeState,
  firstState,
  parseState,
  type State,
} from '../../../packages/duel/src/index.ts'
import { epochOf, MAIN } from '../../../packages/duel/test/subnet.ts'
import {
  isChallengeId,
  make,
  normalise,
  type PerSide,
  registry,
  replay,
  replayGame,
} from '../../../packages/envs/src/index.ts'
import { canonicalize, type Json } from '../../../packages/prng/src/index.ts'
import states from '../../../vectors/duel/states.json' with { type: 'json' }
import games from '../../../vectors/envs/games.json' with { type: 'json' }
import replays from '../../../vectors/envs/replays.json' with { type: 'json' }
import replies from '../../../vectors/envs/replies.json' with { type: 'json' }
import type { Reader } from '../fuzz.ts'
import { bytesOf, expectSame, jsonOf, objectIn, textOf } from '../input.ts'

/** Returns the states of a subnet's first epochs, some during a duel. */
function firstStates(): State[] {
  const found = [firstState(MAIN, 3)]
  for (let epoch = 0; epoch < 6; epoch++) {
    const last = found.at(-1)
    if (last) found.push(decide(last, epochOf(last, { rates: [0.4, 0.3] })).state)
  }
  return found
}

/** Reads a state. An accepted state must be encoded to the same text and have a next state. */
function readState(bytes: Uint8Array) {
  const read = parseState(textOf(bytes))
  if (!read.ok) return read
  expectSame(encodeState(read.value), textOf(bytes))
  decide(read.value, epochOf(read.value)).state
  return read
}

const VOTERS = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`v${i}`, 1]))
const bits = Object.keys(VOTERS).map((hotkey) => createBitReader(VOTERS, hotkey))

/** Replays a recorded episode with any content. */
function replayAny(bytes: Uint8Array) {
  const { env, challengeId, messages } = objectIn(bytes)
  const name = typeof env === 'string' && registry.has(env) ? env : 'mult8@0.1.0'
  if (!isChallengeId(challengeId as string)) return undefined
  return replay(make(name), challengeId as string, messages as [])
}

/** Replays a recorded game with any content. */
function replayAnyGame(bytes: Uint8Array) {
  const { challengeId, recorded } = objectIn(bytes)
  if (!isChallengeId(challengeId as string)) return undefined
  return replayGame(make(HEX), challengeId as string, Object(recorded) as PerSide<[]>)
}

/** Reads a reply with every environment. */
function readReply(bytes: Uint8Array) {
  const text = normalise(textOf(bytes))
  expectSame(normalise(text), text)
  isChallengeId(text)
  const actions = envs.map((env) => env.parse(text))
  return actions.some((action) => action !== null) ? actions : null
}
const envs = [...registry.keys()].map((id) => make(id))
const HEX = 'hex@0.1.0'

/** Readers of states, attestations' bitmaps, and miners' replies. */
export const duelReaders: readonly Reader[] = [
  {
    name: 'state',
    share: 15,
    samples: [states.base as unknown as Json, ...(firstStates() as unknown as Json[])].map(
      (state) => bytesOf(canonicalize(state)),
    ),
    read: readState,
  },
  {
    name: 'bitmap',
    share: 100,
    samples: [new Uint8Array(16), new Uint8Array(16).fill(255)],
    read: (bytes) => bits.map((bit) => bit(bytes)),
  },
  {
    name: 'transcript',
    share: 20,
    samples: replays.vectors.map(({ input }) => jsonOf(input)),
    read: replayAny,
  },
  {
    name: 'game',
    share: 10,
    samples: games.vectors.map(({ input }) => jsonOf(input)),
    read: replayAnyGame,
  },
  {
    name: 'reply',
    share: 120,
    samples: replies.vectors.map(({ input }) => bytesOf(input)),
    read: readReply,
  },
]
