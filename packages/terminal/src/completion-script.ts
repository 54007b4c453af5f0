/** Shells whose words can be completed. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** What a shell runs to have the words of the program `name` completed, by that program itself. */
export function scriptOf(shell: Shell, name: string): string {
  const called = `_${name.replaceAll('-', '_')}_words`
  return SCRIPTS[shell](name, called)
}

/** In each, files are completed where the program has nothing to say. */
const SCRIPTS: Readonly<Record<Shell, (name: string, called: string) => string>> = {
  bash: (name, called) => `${called}() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F ${called} ${name}
`,
  zsh: (name, called) => `${called}() {
  local -a found
  found=("\${(@f)$("$words[1]" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found ]]; then _describe ${name} found; else _files; fi
}
compdef ${called} ${name}
`,
  fish: (name, called) => `function ${called}
    set -l typed (commandline -opc)
    set -l last (commandline -ct)
    set -l found ($typed[1] completion fish -- $typed[2..-1] "$last" 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path "$last"
    end
end
complete -c ${name} -f -a '(${called})'
`,
}

/** A word that a shell may offer, and what it says of it: bash shows words alone. */
export function offerOf(shell: Shell, word: string, about: string): string {
  if (shell === 'bash') return word
  return shell === 'fish' ? `${word}\t${about}` : `${word.replaceAll(':', '\\:')}:${about}`
}
