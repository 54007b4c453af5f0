const only = (name, allowed) => ({
  name: `${name}-stands-on-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: { path: '^(packages|apps)/', pathNot: [name, ...allowed].map((p) => `^packages/${p}/`) },
})

export default {
  forbidden: [
    only('prng', []),
    only('wilson', []),
    only('chain', []),
    only('envs', ['prng']),
    only('blocks', ['envs', 'prng']),
    only('duel', ['prng', 'wilson']),
    {
      name: 'verifier-does-not-know-the-validator',
      severity: 'error',
      from: { path: '^apps/verifier/' },
      to: { path: '^apps/validator/' },
    },
    {
      name: 'libraries-run-in-browsers',
      severity: 'error',
      from: {
        path: '^packages/[^/]+/src/',
        pathNot: '^packages/(blocks/src/directory-bucket|chain/src/wallet)\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'only-chain-sees-polkadot',
      severity: 'error',
      from: { path: '/src/', pathNot: '^packages/chain/' },
      to: { path: '@polkadot/' },
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
