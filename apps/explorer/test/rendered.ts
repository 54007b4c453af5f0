import type { ComponentType } from 'preact'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { type AppState, EMPTY_STATE } from '../src/app-state.ts'
import type { Page } from '../src/page.ts'
import type { EpochAccount } from '../src/worker/epoch-accounts.ts'

/** Renders a view of these epochs, and of other findings, as text with a line for each cell. */
export function renderText<Route>(
  view: ComponentType<Page & Route>,
  epochs: readonly EpochAccount[],
  route: Route,
  found: { readonly [Name in keyof AppState]?: AppState[Name] | undefined } = {},
): string {
  const page: Page = {
    state: { ...EMPTY_STATE, file: { chain: '' }, queue: [], ms: 1, ...found, epochs } as AppState,
    ask: () => undefined as never,
  }
  const html = renderToString(h(view, { ...page, ...route }))
  const text = html.replaceAll(/<\/(td|p|dd|text|title)>/g, '\n').replaceAll(/<[^>]*>/g, '')
  return text.replaceAll('&amp;', '&').replaceAll(/ +/g, ' ')
}
