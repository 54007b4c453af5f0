import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Page, useAnswer } from '../page.ts'
import { showHidden } from '../visible.ts'
import type { SampleLine } from '../worker/epoch-accounts.ts'
import { PARTS, type Part } from '../worker/flip.ts'
import type { Step } from '../worker/proof-steps.ts'

/** Shows a sample's proof step by step, recomputed here, optionally with one byte changed. */
export function ProofView({ state, ask, line }: Page & { readonly line: SampleLine }): JSX.Element {
  const [part, setPart] = useState<Part>('nothing')
  const { value: steps, error } = useAnswer(ask, ['proof', line, part], [state.epochs.length])
  const broken = steps?.filter(({ holds }) => !holds).length ?? 0
  return (
    <details class="fold">
      <summary>
        <span role="status" class={error === undefined && broken === 0 ? 'good' : 'bad'}>
          Its proof: {steps ? describeProof(steps, broken) : (error ?? 'in progress…')}
        </span>
      </summary>
      <p>
        This browser recomputes each step from published data and the chain. Change a byte to see
        which steps detect it.
      </p>
      <fieldset class="flips">
        <legend>Change a byte in</legend>
        {PARTS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === part}
            onClick={() => setPart(each)}
          >
            {each === 'nothing' ? 'nothing (as published)' : each}
          </button>
        ))}
      </fieldset>
      <ol class="steps">
        {steps?.map((step) => (
          <StepView key={step.title} step={step} />
        ))}
      </ol>
    </details>
  )
}

/** States whether all steps are valid, or how many fail. */
function describeProof(steps: readonly Step[], broken: number): string {
  if (broken > 0) return `✘ ${broken} of ${steps.length} steps fail.`
  return `✔ All ${steps.length} steps are valid.`
}

function StepView({
  step: { title, sentence, values, holds },
}: {
  readonly step: Step
}): JSX.Element {
  return (
    <li class={holds ? 'step' : 'step broken'}>
      <details key={String(holds)} open={!holds}>
        <summary>
          <h3 class={holds ? 'good' : 'bad'}>
            {holds ? '✔' : '✘'} {title}
          </h3>
        </summary>
        <p>{sentence}</p>
        <dl>
          {Object.entries(values).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{showHidden(value, 400)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  )
}
