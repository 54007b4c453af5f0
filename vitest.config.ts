import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

const conditions = ['@affine/source']
const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const quiet = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
]

const folders = ['packages', 'apps'].flatMap((root) =>
  readdirSync(root).map((name) => join(root, name, 'test')),
)
const files = [...folders, 'test']
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((file) => file.endsWith('.test.ts'))
const needMachine = files.filter((file) => file.endsWith('.machine.test.ts'))
/** Matches files that replace, reload or register modules or timers, and so need isolation. */
const REPLACING =
  /\bvi\.(mock|doMock|resetModules|useFakeTimers)\(|(?<![.\w])(register|loadModule)\(|--env-module/
const alone = files.filter((file) => REPLACING.test(readFileSync(file, 'utf8')))

/** Timeouts that only a hanging test reaches, so that none fails because a machine is slow. */
const patient = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 600_000 } },
}

/**
 * Returns a project of tests in Node. Without `isolate`, files share loaded modules, which saves most
 * of the time.
 */
const inNode = (
  name: string,
  test: { include: string[]; exclude?: string[]; isolate: boolean },
) => ({
  resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] },
  ssr: { resolve: { conditions } },
  test: { name, ...patient, ...test },
})

/** Reports whether the command line names this project. */
const isAsked = (project: string): boolean =>
  process.argv.some((word) => word === project || word === `--project=${project}`)

/**
 * Tests run from the sources. Files named *.both.test.ts run in Node and, if Chromium is installed,
 * in a browser. Files named *.machine.test.ts need more of the machine or more time. Browser and
 * machine tests run only with `--project chromium` or `machine`, or `npm test -- --all`.
 */
export default defineConfig({
  test: {
    globalSetup: ['test/once-a-run.ts'],
    maxWorkers: '100%',
    projects: [
      inNode('node', { include: files, exclude: [...needMachine, ...alone], isolate: false }),
      inNode('alone', { include: alone, isolate: true }),
      ...(isAsked('machine') ? [inNode('machine', { include: needMachine, isolate: false })] : []),
      ...(isAsked('chromium') && existsSync(chromium)
        ? [
            {
              resolve: {
                conditions: [...conditions, 'module', 'browser', 'development|production'],
              },
              // A dependency discovered late would reload the page during the tests.
              optimizeDeps: { noDiscovery: true },
              test: {
                name: 'chromium',
                include: ['packages/*/test/**/*.both.test.ts'],
                ...patient,
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
