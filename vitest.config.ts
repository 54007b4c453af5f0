import { existsSync } from 'node:fs'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

const conditions = ['@affine/source']
const resolve = { conditions }
const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const quiet = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
]

/**
 * Tests run from the sources; files named *.both.test.ts run in Node and, where Chromium is, in a
 * browser too.
 */
export default defineConfig({
  test: {
    maxWorkers: '100%', // much of what is tested is waiting for other processes
    projects: [
      {
        resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] },
        ssr: { resolve },
        test: {
          name: 'node',
          include: ['{packages,apps}/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      ...(existsSync(chromium)
        ? [
            {
              resolve: {
                conditions: [...conditions, 'module', 'browser', 'development|production'],
              },
              // Finding one late would reload the page under the tests.
              optimizeDeps: { noDiscovery: true },
              test: {
                name: 'chromium',
                include: ['packages/*/test/**/*.both.test.ts'],
                testTimeout: 60_000,
                browser: {
                  enabled: true,
                  headless: true,
                  screenshotFailures: false,
                  provider: playwright({
                    launchOptions: {
                      executablePath: chromium,
                      args: ['--no-sandbox', '--disable-gpu', '--disable-sync', ...quiet],
                    },
                  }),
                  instances: [{ browser: 'chromium' as const }],
                },
              },
            },
          ]
        : []),
    ],
  },
})
