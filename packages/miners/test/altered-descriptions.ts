import type { DeploymentFault } from '../src/deployment/deployment.ts'

type Altered = readonly [what: string, changes: object, code: DeploymentFault]

const image = { name: 'sglang', tag: 'nightly-2026040100', user: { username: 'chutes' } }
const SLUGS = [
  ...['', 'a.b', '../users', 'evil.com/', 'evil.com#', 'user:pw@evil', 'mine.example.org/'],
  ...['A', '-a', 'a-', 'a'.repeat(64), 'ä', null, ['me-one'], { length: { toString: 1 } }],
]
const deep: unknown = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`)

/** Altered properties of a chute, and the codes of their refusals. */
export const alteredDescriptions: readonly Altered[] = [
  ['of another name', { name: 'you/affine-5M' }, 'MODEL'],
  ['whose name is a number', { name: 5 }, 'MODEL'],
  ['with a deep list as name', { name: deep }, 'MODEL'],
  ['of another revision', { revision: '0'.repeat(40) }, 'REVISION'],
  ['with a branch as revision', { revision: 'main' }, 'REVISION'],
  ['without a revision', { revision: null }, 'REVISION'],
  ['with another backend', { execution_backend: 'external' }, 'NOT_HOSTED'],
  ['of another template', { standard_template: 'tei' }, 'NOT_A_TEMPLATE'],
  ['with tee false', { tee: false }, 'NOT_CONFIDENTIAL'],
  ['without tee', { tee: null }, 'NOT_CONFIDENTIAL'],
  ['that reaches other hosts', { allow_external_egress: true }, 'EGRESS'],
  ['with another egress flag', { lan_egress: true }, 'EGRESS'],
  ['of no template', { standard_template: null }, 'NOT_A_TEMPLATE'],
  ...SLUGS.map((slug): Altered => [`at ${JSON.stringify(slug)}`, { slug }, 'NO_SLUG']),
  ['with an image of the miner', { image: { ...image, user: { username: 'me' } } }, 'IMAGE'],
  ['with another engine’s image', { image: { ...image, name: 'vllm' } }, 'IMAGE'],
  ['with another image tag', { image: { ...image, tag: 'mine' } }, 'IMAGE'],
]
