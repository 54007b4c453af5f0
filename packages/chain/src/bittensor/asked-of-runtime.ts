// Everything that this client uses of a chain's runtime. It can use nothing else: the names are
// types.
import { MAX_FIELD_BYTES } from '../commitment.ts'
import type { TypeShape } from './type-shape.ts'

/** How a field of a commitment is sent: `Raw0` to `Raw128`, by its length. */
const RAW: TypeShape = Object.fromEntries(
  Array.from({ length: MAX_FIELD_BYTES + 1 }, (_, size) => [`Raw${size}`, `[u8;${size}]`]),
)

/** What is read of a subnet and its neurons. */
const METAGRAPH: TypeShape = {
  tempo: 'uint',
  commitRevealWeightsEnabled: 'bool',
  commitRevealPeriod: 'uint',
  hotkeys: 'Vec<AccountId32>',
  validatorPermit: 'Vec<bool>',
  lastUpdate: 'Vec<uint>',
  blockAtRegistration: 'Vec<uint>',
  totalStake: 'Vec<uint>',
}

/** Storage items, with the types of their keys and of what is read. */
export const STORAGE = {
  timestamp: { now: { keys: [], value: 'uint' } },
  system: {
    number: { keys: [], value: 'uint' },
    events: { keys: [], value: [{ phase: { ApplyExtrinsic: 'uint' } }] },
  },
  drand: { lastStoredRound: { keys: [], value: 'uint' } },
  commitments: {
    commitmentOf: {
      keys: ['u16', 'AccountId32'],
      value: { block: 'uint', info: { fields: [RAW as TypeShape] } },
    },
  },
  subtensorModule: {
    tempo: { keys: ['u16'], value: 'uint' },
    uids: { keys: ['u16', 'AccountId32'], value: 'u16' },
    weights: { keys: ['u16', 'u16'], value: 'Vec<(u16,u16)>' },
    weightsVersionKey: { keys: ['u16'], value: 'u64' },
    commitRevealWeightsEnabled: { keys: ['u16'], value: 'bool' },
    commitRevealWeightsVersion: { keys: [], value: 'u16', optional: true },
    revealPeriodEpochs: { keys: ['u16'], value: 'uint' },
    subnetEpochIndex: { keys: ['u16'], value: 'uint', optional: true },
    timelockedWeightCommits: {
      keys: ['u16', 'u64'],
      value: 'Vec<(AccountId32,uint,Bytes,uint)>',
      optional: true,
    },
    crv3WeightCommitsV2: {
      keys: ['u16', 'u64'],
      value: 'Vec<(AccountId32,uint,Bytes,uint)>',
      optional: true,
    },
    crv3WeightCommits: {
      keys: ['u16', 'u64'],
      value: 'Vec<(AccountId32,Bytes,uint)>',
      optional: true,
    },
  },
} as const

/** Calls, with their arguments in their order. */
export const CALLS = {
  commitments: { setCommitment: { args: { netuid: 'u16', info: { fields: [RAW as TypeShape] } } } },
  subtensorModule: {
    setWeights: {
      args: { netuid: 'u16', dests: 'Vec<u16>', weights: 'Vec<u16>', versionKey: 'u64' },
    },
    commitTimelockedWeights: {
      args: { netuid: 'u16', commit: 'Bytes', revealRound: 'u64', commitRevealVersion: 'u16' },
      optional: true,
    },
    commitTimelockedMechanismWeights: {
      args: {
        netuid: 'u16',
        mecid: 'u8',
        commit: 'Bytes',
        revealRound: 'u64',
        commitRevealVersion: 'u16',
      },
      optional: true,
    },
    commitCrv3Weights: {
      args: { netuid: 'u16', commit: 'Bytes', revealRound: 'u64' },
      optional: true,
    },
  },
} as const

/** Methods of runtime APIs, with their arguments in their order. */
export const APIS = {
  subnetInfoRuntimeApi: {
    getSelectiveMetagraph: {
      args: { netuid: 'u16', metagraphIndexes: 'Vec<u16>' },
      value: METAGRAPH as TypeShape,
      optional: true,
    },
    getMetagraph: { args: { netuid: 'u16' }, value: METAGRAPH as TypeShape, optional: true },
    getNextEpochStartBlock: { args: { netuid: 'u16' }, value: 'uint', optional: true },
  },
} as const

/** Constants. */
export const CONSTANTS = {
  aura: { slotDuration: { value: 'uint', optional: true } },
} as const

/** Events, with their first field. */
export const EVENTS = {
  system: { extrinsicFailed: { value: { Module: { index: 'u8', error: '[u8;4]' } } as TypeShape } },
} as const

/** The extensions of a signed call that this client knows and that may take bytes. */
export const EXTENSIONS: readonly string[] = [
  'CheckMortality',
  'CheckNonce',
  'ChargeTransactionPayment',
  'CheckMetadataHash',
]

/** At least one of `need` must be there, always or if one of `where` is there. */
interface Need {
  readonly where?: readonly string[]
  readonly need: readonly string[]
}

const API = 'runtime API subnetInfoRuntimeApi'
const TIMELOCKED = [
  'call subtensorModule.commitTimelockedWeights',
  'call subtensorModule.commitTimelockedMechanismWeights',
] as const

/** What must be there of the optional entries above, by kind and name. */
export const NEEDS: readonly Need[] = [
  { need: [`${API}.getSelectiveMetagraph`, `${API}.getMetagraph`] },
  {
    where: ['storage subtensorModule.subnetEpochIndex'],
    need: [`${API}.getNextEpochStartBlock`],
  },
  { where: TIMELOCKED, need: ['storage subtensorModule.commitRevealWeightsVersion'] },
  { need: [...TIMELOCKED, 'call subtensorModule.commitCrv3Weights'] },
  {
    need: [
      'storage subtensorModule.timelockedWeightCommits',
      'storage subtensorModule.crv3WeightCommitsV2',
      'storage subtensorModule.crv3WeightCommits',
    ],
  },
]
