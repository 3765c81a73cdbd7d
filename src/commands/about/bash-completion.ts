// Completion for bash, made of the table of commands. The script asks nobody: it works without a server.
import { type Command, type Flag, HELP_FLAG } from "../../server/command-line/flag.ts";

export function bashCompletion(commands: readonly Command[]): string {
  const words = commands.map(({ word }) => word).join(" ");
  return `# bash completion for egret: source <(egret completion bash)
_egret() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=serve offers= i
  # bash takes --flag=value for three words
  if [[ $cur == "=" ]]; then cur=; elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then
    COMPREPLY=($(compgen -W "${words}" -- "$cur"))
    return
  fi
  if ((COMP_CWORD > 1)) && [[ \${COMP_WORDS[1]} != -* ]]; then command=\${COMP_WORDS[1]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == -- ]]; then
      if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- "$cur")); else _egret_files -f; fi
      return
    fi
  done
  case "$command $prev" in
${commands.flatMap((command) => command.flags.flatMap((flag) => valueCase(command, flag))).join("\n")}
  esac
  case $command in
${commands.map(commandCase).join("\n")}
  esac
  if [[ $offers == -* && $cur != -* ]] && ((\${#COMPREPLY[@]} == 0)); then _egret_files "$offers"; fi
}
_egret_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
}
complete -F _egret egret
`;
}

/** What may stand behind a flag that takes a value. */
function valueCase({ word }: Command, flag: Flag): string[] {
  if (flag.type === "boolean") return [];
  const names = namesOf(flag).map((name) => `"${word} ${name}"`);
  return [`    ${names.join("|")}) ${offerOf(flag)}; return ;;`];
}

function offerOf({ choices, offers }: Flag): string {
  if (choices !== undefined) return `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$cur"))`;
  if (offers === undefined) return ":";
  return `_egret_files ${offers === "file" ? "-f" : "-d"}`;
}

function commandCase({ word, words = [], flags, offers }: Command): string {
  const named = [...words.map((item) => item.word), ...[...flags, HELP_FLAG].map(({ name }) => `--${name}`)];
  const files = offers === undefined ? "" : `offers=${offers === "file" ? "-f" : "-d"}; `;
  return `    ${word}) ${files}COMPREPLY=($(compgen -W "${named.join(" ")}" -- "$cur")) ;;`;
}

const namesOf = ({ name, short }: Flag): string[] => [
  `--${name}`,
  ...(short === undefined ? [] : [`-${short}`]),
];
