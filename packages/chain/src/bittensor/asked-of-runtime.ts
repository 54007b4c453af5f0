// The names of everything that this client uses of a chain's runtime. It can use nothing else: the
// names are types. What is in `NEEDS` may be missing, as long as the client has another way.

/** Storage items, by their pallet. */
export const STORAGE = {
  timestamp: ['now'],
  system: ['number', 'events'],
  drand: ['lastStoredRound'],
  commitments: ['commitmentOf'],
  subtensorModule: [
    'tempo',
    'uids',
    'weights',
    'weightsVersionKey',
    'commitRevealWeightsEnabled',
    'commitRevealWeightsVersion',
    'revealPeriodEpochs',
    'subnetEpochIndex',
    'timelockedWeightCommits',
    'crv3WeightCommitsV2',
    'crv3WeightCommits',
  ],
} as const

/** Calls, by their pallet. */
export const CALLS = {
  commitments: ['setCommitment'],
  subtensorModule: [
    'setWeights',
    'commitTimelockedWeights',
    'commitTimelockedMechanismWeights',
    'commitCrv3Weights',
  ],
} as const

/** Methods of runtime APIs. */
export const APIS = {
  subnetInfoRuntimeApi: ['getSelectiveMetagraph', 'getMetagraph', 'getNextEpochStartBlock'],
} as const

/** Events, by their pallet. */
export const EVENTS = { system: ['extrinsicSuccess', 'extrinsicFailed'] } as const

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

/** What must be there of the names above of which a runtime need not have all. */
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
