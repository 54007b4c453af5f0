const only = (name, allowed) => ({
  name: `${name}-stands-on-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: { path: '^(packages|apps)/', pathNot: [name, ...allowed].map((p) => `^packages/${p}/`) },
})

/** Files that need Node: parts of libraries, each with its own entry, and whole packages. */
const NEEDS_NODE = [
  '^packages/blocks/src/directory-bucket\\.ts$',
  '^packages/chain/src/bittensor/wallet\\.ts$',
  '^packages/engine/src/',
  '^packages/node/src/',
  '^packages/(miners|settlement)/src/node/',
  '^packages/terminal/src/',
]

export default {
  forbidden: [
    only('prng', []),
    only('wilson', []),
    only('node', ['prng']),
    only('chain', ['node', 'prng']),
    only('envs', ['prng']),
    only('blocks', ['envs', 'node', 'prng']),
    only('duel', ['prng', 'wilson']),
    only('miners', ['blocks', 'duel', 'envs', 'node', 'prng']),
    only('engine', ['blocks', 'chain', 'duel', 'envs', 'miners', 'node', 'prng', 'settlement']),
    only('settlement', ['blocks', 'chain', 'duel', 'envs', 'node', 'prng']),
    only('report', ['blocks', 'chain', 'duel', 'envs', 'prng', 'settlement', 'wilson']),
    only('terminal', ['envs', 'report', 'settlement']),
    {
      name: 'applications-do-not-know-each-other',
      severity: 'error',
      from: { path: '^apps/([^/]+)/(src|bin)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'commands-share-nothing-but-what-has-a-place-of-its-own',
      severity: 'error',
      from: { path: '^apps/validator/src/commands/([^/.]+)' },
      to: {
        path: '^apps/validator/src/commands/[^/]+/',
        pathNot: '^apps/validator/src/commands/($1|views)/',
      },
    },
    {
      name: 'the-two-wings-of-chain-do-not-cross',
      severity: 'error',
      from: { path: '^packages/chain/src/(bittensor|local)/' },
      to: { path: '^packages/chain/src/(bittensor|local)/', pathNot: '^packages/chain/src/$1/' },
    },
    {
      name: 'libraries-run-in-browsers',
      severity: 'error',
      from: {
        path: '^packages/[^/]+/src/',
        pathNot: NEEDS_NODE,
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'what-runs-in-browsers-does-not-import-the-node-package',
      severity: 'error',
      from: { path: '^(packages|apps)/', pathNot: [...NEEDS_NODE, '^apps/(validator|verifier)/'] },
      to: { path: '^packages/node/src/' },
    },
    {
      name: 'the-page-runs-in-browsers',
      severity: 'error',
      from: { path: '^apps/explorer/src/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'the-page-brings-nothing-that-is-for-node',
      severity: 'error',
      from: { path: '^apps/explorer/src/' },
      to: { path: NEEDS_NODE },
    },
    {
      name: 'what-computes-is-in-the-worker-alone',
      severity: 'error',
      from: { path: '^apps/explorer/src/', pathNot: '^apps/explorer/src/worker/' },
      to: {
        path: '^packages/',
        pathNot: '^packages/report/src/sentences/index\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'sentences-compute-nothing',
      severity: 'error',
      from: { path: '^packages/report/src/sentences/' },
      to: {
        path: '^packages/',
        pathNot: '^packages/report/src/(sentences/|text\\.ts$|sides\\.ts$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'what-needs-node-is-on-a-subpath',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: '^packages/[^/]+/src/node/' },
      to: { path: '^packages/$1/src/node/' },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'only-the-bittensor-wing-sees-polkadot',
      severity: 'error',
      from: { path: '/src/', pathNot: '^packages/chain/src/bittensor/' },
      to: { path: '@polkadot/', pathNot: '@polkadot/wasm-crypto-wasm/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/(dist|test|bench)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      conditionNames: ['@affine/source', 'import', 'types', 'default'],
      exportsFields: ['exports'],
    },
  },
}
