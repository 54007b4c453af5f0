/**
 * The meaning and remedy of frequent refusals, by code. Codes up to `Payment` are names of
 * subtensor and Substrate, the others are this package's.
 */
export const ADVICE = {
  HotKeyNotRegisteredInSubNet: 'this hotkey is not registered on the subnet: register it first',
  HotKeyAlreadyRegisteredInSubNet: 'this hotkey is already registered on the subnet: name another',
  NoNeuronIdAvailable: 'the subnet is full, and no neuron can be replaced now: try again later',
  AccountNotAllowedCommit: 'only a registered hotkey can commit: register it first',
  SubnetNotExists: 'the subnet did not exist at that block: check the netuid and the first epoch',
  StakeAmountTooLow: 'the stake is below the threshold: add stake',
  SettingWeightsTooFast: 'weights were set too recently: wait for the rate limit',
  CommittingWeightsTooFast: 'weights were set too recently: wait for the rate limit',
  RateLimitExceeded: 'the last call of this kind was too recent: wait for the rate limit',
  NeuronNoValidatorPermit: 'no validator permit: permits go to the highest stakes once every tempo',
  UidsLengthExceedUidsInSubNet: 'there are more weights than neurons',
  DuplicateUids: 'a uid occurs twice',
  UidVecContainInvalidOne: 'a uid does not exist: read the metagraph again',
  WeightVecLengthIsLow: "there are fewer weights than the subnet's minimum",
  IncorrectWeightVersionKey: 'the subnet requires newer validators: update this program',
  TooManyUnrevealedCommits: 'ten commits of weights are not revealed yet: wait for the next tempo',
  InvalidRevealRound: "the timelock's round is in the past: check this machine's clock",
  TooManyFieldsInCommitmentInfo: 'a commitment has at most three fields',
  SpaceLimitExceeded: 'this hotkey has no commitment space left in this tempo: wait for the next',
  BadProof: 'the signature is wrong: sign for this genesis and netuid',
  Stale: 'the nonce was used before: sign again',
  ExhaustsResources: 'too many calls are waiting: try again after the next block',
  AncientBirthBlock: 'the last block that could contain this call has passed: sign again',
  Payment: 'this account cannot pay the fee: send it a little TAO',
  FieldTooLong: 'a commitment field has at most 128 bytes',
  DrandBehind: "the chain's drand is over ten minutes late: weights can be sent once it runs again",
} as const

export type Refusal = keyof typeof ADVICE

/**
 * An error of a chain. `code` is the chain's name for the error, or this package's. `detail` is the
 * message without the code, by default the text in `ADVICE`.
 */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly code: string
  readonly detail: string
  /** The URL of the node that failed. It may contain a key. */
  readonly node: string | undefined

  constructor(
    code: string,
    detail: string = ADVICE[code as Refusal],
    { node, ...options }: ErrorOptions & { readonly node?: string } = {},
  ) {
    super(`${code}: ${detail}`, options)
    this.code = code
    this.detail = detail
    this.node = node
  }
}

export const unknownBlockError = (number: number, last: number): ChainError =>
  new ChainError('UnknownBlock', `there is no block ${number}: the last final one is ${last}`)
