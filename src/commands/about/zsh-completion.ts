// Completion for zsh, made of the table of commands.
import { type Command, type Flag, HELP_FLAG } from "../../server/command-line/flag.ts";

export function zshCompletion(commands: readonly Command[]): string {
  const described = commands.map(({ word, summary }) => `    ${quoted(`${word}:${plain(summary)}`)}`);
  return `#compdef egret
# zsh completion for egret: egret completion zsh > "\${fpath[1]}/_egret"
_egret() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  local command=serve
  if [[ $words[2] != -* ]]; then
    command=$words[2]
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _egret ]]; then _egret "$@"; else compdef _egret egret; fi
`;
}

function commandCase(command: Command): string {
  const specs = [...command.flags, HELP_FLAG].map(flagSpec);
  return `    ${command.word})
      _arguments \\
${[...specs, ...wordSpecs(command)].map((spec) => `        ${spec}`).join(" \\\n")}
      ;;`;
}

/** '*'{-f+,--filename=}'[a file]:PATH:_files' */
function flagSpec(flag: Flag): string {
  const { name, short, type, multiple, text } = flag;
  const value = type === "string";
  const long = `--${name}${value ? "=" : ""}`;
  const names = short === undefined ? long : `{-${short}${value ? "+" : ""},${long}}`;
  const about = `[${escaped(plain(text))}]${value ? `:${escaped(flag.value ?? "VALUE")}:${offerOf(flag)}` : ""}`;
  if (multiple === true) return `'*'${names}${quoted(about)}`;
  return short === undefined ? `${names}${quoted(about)}` : `'(-${short} --${name})'${names}${quoted(about)}`;
}

function offerOf({ choices, offers }: Flag): string {
  if (choices !== undefined) return `(${choices.join(" ")})`;
  if (offers === undefined) return "";
  return offers === "file" ? "_files" : "_files -/";
}

function wordSpecs({ word, words = [], offers }: Command): string[] {
  if (word === "run") return [quoted("*::command:_normal")];
  const first = words.length > 0 ? [quoted(`1:word:(${words.map((item) => item.word).join(" ")})`)] : [];
  return [
    ...first,
    ...(offers === undefined ? [] : [quoted(`*:file:_files${offers === "folder" ? " -/" : ""}`)]),
  ];
}

const plain = (text: string): string => text.replaceAll("`", "");
/** Brackets and colons mean something to _arguments. */
const escaped = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
