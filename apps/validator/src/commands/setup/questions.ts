/** What a person is asked of one setting. */
export interface Question {
  /** The setting's. */
  readonly name: string
  readonly message: string
  /** What stands there at first, if nothing is given. */
  readonly initial?: string
  readonly isOptional?: true
}

export const NETWORK: Question = {
  name: 'network',
  message: "The network: finney, test, local, or a node's URL",
  initial: 'finney',
}
export const NETUID: Question = { name: 'netuid', message: 'Its subnet' }
export const FIRST_EPOCH: Question = {
  name: 'firstEpoch',
  message: 'The epoch that its validators agreed to start with',
}
export const WALLET: Question = { name: 'wallet', message: 'The wallet', initial: 'default' }
export const HOTKEY: Question = { name: 'hotkey', message: 'Its hotkey', initial: 'default' }
export const FOLDER: Question = {
  name: 'folder',
  message: 'A folder for what is its own: secrets, journals',
  initial: 'validator',
}
export const CHUTES: Question = { name: 'chutesApiKey', message: 'The key for Chutes' }

const URL: Question = { name: 'bucketUrl', message: 'Its URL, at which everyone can read it' }
const KEY_ID: Question = { name: 's3AccessKeyId', message: 'The id of a key that may write there' }
const SECRET: Question = { name: 's3SecretAccessKey', message: "That key's secret" }
const NAME: Question = { name: 's3Bucket', message: "The bucket's name" }

/** Where a bucket can be, and what is asked of it. */
export const PLACES: Readonly<Record<'r2' | 's3' | 'folder', readonly Question[]>> = {
  r2: [
    { name: 'r2AccountId', message: "The account's id, 32 hex digits" },
    NAME,
    KEY_ID,
    SECRET,
    URL,
  ],
  s3: [
    { name: 's3Endpoint', message: "The service's URL, without the bucket" },
    { name: 's3Region', message: 'Its region' },
    NAME,
    KEY_ID,
    SECRET,
    URL,
  ],
  folder: [
    { name: 'buckets', message: 'The folder: the bucket is the hotkey in it', initial: 'buckets' },
    { ...URL, message: 'Its URL, or nothing where readers have that folder', isOptional: true },
  ],
}
export type Place = keyof typeof PLACES
