import { readFileSync } from 'node:fs'
import { PROTOCOL } from '@affine/duel'
import { make } from '@affine/envs'
import { expect, it } from 'vitest'

const page = readFileSync(new URL('../../../docs/mining.md', import.meta.url), 'utf8')

it.each([
  ['tictactoe-v0', 4],
  ['mult8-v0', 7],
  ['hex-v0', 2],
  ['pack-v0', 11],
])('finds a prompt of %s and its reply in docs/mining.md', (id, seed) => {
  const env = make(id)
  const prompt = env.prompt(env.reset({ seed })[0])
  expect(page).toContain(`\`\`\`text\n${prompt}\n\`\`\`\n\nReply: \`${env.spec.solve(prompt)}\`\n`)
})

it('finds the number of challenges in docs/mining.md', () => {
  const text = page.replace(/\s+/g, ' ')
  for (const { players, quotaFirst, quotaMost } of Object.values(PROTOCOL.envs))
    expect(text).toContain(
      players === 1
        ? `: ${quotaFirst} in a duel's first epoch, then twice as many each time, at most ${quotaMost}. `
        : `two players it sends ${quotaFirst}, at most ${quotaMost}. `,
    )
})

it('finds the maximum number of requests in an epoch in docs/mining.md', () => {
  const ofOne = (games: number): number =>
    Object.entries(PROTOCOL.envs).reduce((sum, [env, { players, quotaMost }]) => {
      const { maxSteps } = make(env).spec
      const turns = players === 1 ? maxSteps : games * Math.ceil(maxSteps / 2)
      return sum + quotaMost * turns
    }, 0)
  const [contender, champion] = [1, PROTOCOL.duelsMost].map((games) => ofOne(games))
  const text = page.replace(/\s+/g, ' ')
  expect(text).toContain(`and at most ${contender?.toLocaleString('en')}; to the champion`)
  expect(text).toContain(`and at most ${champion?.toLocaleString('en')}. With n validators`)
})
