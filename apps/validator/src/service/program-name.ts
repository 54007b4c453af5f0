/**
 * How a person starts one of our programs here: by npx where npm has started this one from a
 * checkout, whose `from` is the URL of a module; else by its name. Elsewhere npx would fetch
 * somebody else's package.
 */
export function programName(
  name: string,
  env: typeof process.env = process.env,
  from: string = import.meta.url,
): string {
  const isCheckout = !from.includes('/node_modules/')
  return isCheckout && env.npm_command !== undefined ? `npx ${name}` : name
}
