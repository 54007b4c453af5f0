/** A number of bytes for people, with three digits. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), units.length - 1)
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step]}`
}
