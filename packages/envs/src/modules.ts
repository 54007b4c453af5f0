import * as envs from './index.ts'

const loaded = new Map<string, readonly envs.EnvSpec[]>()

/** Returns the URLs of the modules that this thread loaded, with the environments of each. */
export const listModules = (): ReadonlyMap<string, readonly envs.EnvSpec[]> => loaded

/**
 * Loads a module of environments by its URL, and runs it. Its default export is a function, which
 * is called with the exports of `@affine/envs` and registers at least one environment. Another
 * call with the same URL has no effect.
 *
 * @throws TypeError, as a rejection, if there is no such function or it registers nothing; and any
 *   error of the module.
 */
export async function loadModule(url: string): Promise<void> {
  if (loaded.has(url)) return
  const { default: define } = await import(/* @vite-ignore */ url)
  if (typeof define !== 'function')
    throw new TypeError('its default export must be a function, (envs) => envs.register(…)')
  const known = new Set(envs.registry.keys())
  await define(envs)
  const added = [...envs.registry.values()].filter(({ id }) => !known.has(id))
  if (added.length === 0) throw new TypeError('it registers no environment: call envs.register(…)')
  loaded.set(url, added)
}
