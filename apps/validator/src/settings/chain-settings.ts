import { statSync } from 'node:fs'
import { isOnline, NETWORK_HELP } from '@affine/settlement'
import { FIRST_EPOCH_HELP, NETUID_HELP } from '@affine/terminal'
import { defineGroup } from './group.ts'
import { ABOUT, like, text, whole } from './setting.ts'

/** Could it name a chain? No chain is asked. */
const isChain = (where: string): boolean => isOnline(where) || isFile(where)

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false // a text may also be no path at all
  }
}

/** Which subnet, on which nodes. */
export const CHAIN = defineGroup('Chain', {
  network: text()
    .refine(isChain, `expected ${NETWORK_HELP}`)
    .register(ABOUT, {
      help: NETWORK_HELP,
      takes: '<where>',
      variables: ['SUBTENSOR_ENDPOINT'],
      question: "The network: finney, test, local, or a node's URL",
      proposed: 'finney',
    }),
  fallback: like(/^wss?:/, 'the ws:// or wss:// URL of a node')
    .optional()
    .register(ABOUT, {
      help: 'one more node, for the network that SUBTENSOR_ENDPOINT names',
      variables: ['SUBTENSOR_FALLBACK'],
    }),
  netuid: whole(0, 65_535)
    .optional()
    .register(ABOUT, {
      ...NETUID_HELP,
      takes: '<n>',
      variables: ['AFFINE_NETUID', 'NETUID'],
      question: 'The number of its subnet',
    }),
  firstEpoch: whole(0, 1e9)
    .optional()
    .register(ABOUT, {
      ...FIRST_EPOCH_HELP,
      takes: '<n>',
      variables: ['AFFINE_FIRST_EPOCH'],
      question: 'The epoch that its validators agreed to start with',
    }),
})

/** The hotkey that validates. */
export const HOTKEY = defineGroup('Hotkey', {
  key: text().optional().register(ABOUT, {
    help: 'the file of the hotkey; or put its secret into AFFINE_HOTKEY',
    takes: '<file>',
  }),
  wallet: text()
    .optional()
    .register(ABOUT, {
      help: 'the name of a Bittensor wallet',
      takes: '<name>',
      variables: ['BT_WALLET_COLD', 'BT_WALLET_NAME'],
      question: 'The wallet',
      proposed: 'default',
    }),
  hotkey: text()
    .optional()
    .register(ABOUT, {
      help: "the name of the wallet's hotkey",
      takes: '<name>',
      variables: ['BT_WALLET_HOT', 'BT_WALLET_HOTKEY'],
      question: "The wallet's hotkey",
      proposed: 'default',
    }),
  walletPath: text()
    .optional()
    .register(ABOUT, {
      help: 'the folder that holds the wallets',
      takes: '<folder>',
      variables: ['BT_WALLET_PATH'],
      without: '~/.bittensor/wallets',
    }),
  hotkeySecret: text()
    .optional()
    .register(ABOUT, {
      help: 'the secret of the hotkey, if no option names a hotkey',
      variables: ['AFFINE_HOTKEY'],
      secret: 'all',
    }),
})
