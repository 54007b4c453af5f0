/**
 * What each name means and what to do about it. Most are subtensor's and Substrate's own; those
 * after `FundsUnavailable` are ours.
 */
export const ADVICE = {
  HotKeyNotRegisteredInSubNet: 'this hotkey is not registered on the subnet: register it first',
  HotKeyNotRegisteredInNetwork: 'this hotkey is not registered on the subnet: register it first',
  HotKeyAlreadyRegisteredInSubNet: 'this hotkey is registered on the subnet: name another',
  NoNeuronIdAvailable: 'the subnet has no uid left',
  AccountNotAllowedCommit: 'only a registered hotkey can commit: register it first',
  HotkeyAccountDoesntExist: 'the chain does not know this hotkey: register it first',
  SubnetNotExists:
    'no such subnet was on this chain at that block: check the netuid, and the first epoch',
  SubNetworkDoesNotExist: 'no such subnet is on this chain: check the netuid',
  MechanismDoesNotExist: 'no such subnet is on this chain: check the netuid',
  NotEnoughStakeToSetWeights: 'the stake is below the threshold: add stake',
  StakeAmountTooLow: 'the stake is below the threshold: add stake',
  SettingWeightsTooFast: 'weights were set less than the rate limit ago: wait',
  CommittingWeightsTooFast: 'weights were set less than the rate limit ago: wait',
  RateLimitExceeded: 'the last call of this kind was less than the rate limit ago: wait',
  NeuronNoValidatorPermit: 'no validator permit: permits go to the highest stakes once every tempo',
  UidsLengthExceedUidsInSubNet: 'more weights than neurons',
  DuplicateUids: 'a uid occurs twice',
  UidVecContainInvalidOne: 'a uid does not exist: read the metagraph again',
  UidNotFound: 'this hotkey has no uid on the subnet: register it first',
  WeightVecLengthIsLow: "fewer weights than the subnet's minimum, which is one at least",
  IncorrectWeightVersionKey: 'the subnet asks for a newer version of its validators: update',
  CommitRevealEnabled: 'the subnet has just turned commit and reveal on: try again',
  CommitRevealDisabled: 'the subnet has just turned commit and reveal off: try again',
  IncorrectCommitRevealVersion: 'the chain reads commits of another version: update this program',
  TooManyUnrevealedCommits: 'ten commits of weights wait for their reveal: wait for the next tempo',
  RevealTooEarly: 'the epoch of the reveal has not come yet: wait',
  ExpiredWeightCommit:
    'the epoch of the reveal is over: these weights are lost, the next commit counts',
  NoWeightsCommitFound:
    'the chain has no commit for this reveal: it was revealed before, or is over',
  CommitNotFound: 'the chain has no commit for this reveal: it was revealed before, or is over',
  CommitBlockNotInRevealRange: 'the epoch of the reveal is not now',
  InvalidRevealCommitHashNotMatch: 'the commit on the chain is to other weights, or another salt',
  InvalidRevealRound: "the timelock's round is past: check this machine's clock",
  TooManyFieldsInCommitmentInfo: 'a commitment has at most three fields',
  SpaceLimitExceeded: 'no commitment space left in this tempo: wait for the next',
  CommitmentSetRateLimitExceeded: 'the last commitment was less than the rate limit ago: wait',
  ColdkeyInSwapSchedule: "this hotkey's coldkey is being swapped: wait until that is over",
  ColdkeySwapDisputed:
    "the swap of this hotkey's coldkey is disputed: its owner has to settle that first",
  BadProof: 'the signature does not fit: sign for this genesis and netuid',
  Stale: 'the nonce was used before: sign again',
  ExhaustsResources: 'too much is waiting: try again after the next block',
  AncientBirthBlock: 'the last block it was allowed in has passed: sign again',
  Payment: 'this account cannot pay the fee: send it a little TAO',
  BalanceTooLow: 'this account cannot pay: send it a little TAO',
  FundsUnavailable: 'this account cannot pay: send it a little TAO',
  FieldTooLong: 'a commitment field has at most 128 bytes',
  NoSalts: 'this subnet has weights committed and revealed: a folder for the salts is needed',
} as const

export type Refusal = keyof typeof ADVICE

/**
 * What went wrong with a chain; `code` is the chain's own name for it where it has one. A code that
 * `ADVICE` has needs no `detail`.
 */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly code: string

  constructor(code: string, detail: string = ADVICE[code as Refusal], options?: ErrorOptions) {
    super(`${code}: ${detail}`, options)
    this.code = code
  }
}
