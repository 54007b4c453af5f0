/** What competes at what, and for what; `titles` are the environments' own. */
export function subnetText(titles: readonly string[]): string {
  const others = titles.slice(0, -1)
  const last = titles.at(-1) ?? 'nothing yet'
  const all = others.length === 0 ? last : `${others.join(', ')} and ${last}`
  return `AI models compete at ${all}: one that clearly beats the champion takes its throne.`
}
