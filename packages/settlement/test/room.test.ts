import { expect, it } from 'vitest'
import { Room } from '../src/room.ts'

it('holds no more bytes than it has room for, but for the lane whose turn it is', async () => {
  const room = new Room(100)
  const taken: string[] = []
  const take = (bytes: number, turn: number): Promise<void> =>
    room.take(bytes, turn).then(() => void taken.push(`${bytes} of ${turn}`))
  const second = [take(60, 1), take(60, 1)]
  const third = take(30, 2)
  await take(500, 0)
  expect(taken).toEqual(['60 of 1', '30 of 2', '500 of 0'])
  room.endTurn(500)
  await Promise.all(second)
  expect(taken.at(-1)).toBe('60 of 1')
  room.endTurn(120)
  await third
})
