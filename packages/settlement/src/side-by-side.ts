/** Few enough that as many blocks, with as many copies of each, fit into memory. */
const AT_ONCE = 8

/**
 * What `task` makes of each item, in the order of the items; 8 are under way at a time, so that who
 * is slow holds up nobody else.
 */
export async function sideBySide<Item, Made>(
  items: readonly Item[],
  task: (item: Item) => Promise<Made>,
): Promise<readonly Made[]> {
  const made: Made[] = []
  const left = items.entries()
  const work = async (): Promise<void> => {
    for (const [i, item] of left) made[i] = await task(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return made
}
