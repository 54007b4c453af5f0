import { forfeitText } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import type { LostLine } from '../worker/epoch-account.ts'

/** Lost challenges of each environment, each a link to how it was played. */
export function LostList({ losses }: { readonly losses: readonly LostLine[] }): JSX.Element {
  const envs = [...new Set(losses.map(({ env }) => env))]
  if (envs.length === 0) return <p>No challenge that counts.</p>
  return (
    <ul class="losses">
      {envs.map((env) => (
        <li key={env}>
          {env}:{' '}
          {losses
            .filter((loss) => loss.env === env)
            .map(({ block, line, index, forfeit }) => (
              <a
                key={`${block}${line}`}
                href={linkTo.sample({ block, line })}
                aria-label={`${env} #${index}`}
                title={forfeit === undefined ? undefined : `forfeited: ${forfeitText(forfeit)}`}
              >
                #{index}
                {forfeit !== undefined && '†'}
              </a>
            ))}
        </li>
      ))}
      {losses.some(({ forfeit }) => forfeit !== undefined) && <li>† forfeited</li>}
    </ul>
  )
}
