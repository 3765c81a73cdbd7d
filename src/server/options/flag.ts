// Flags and commands as data: the source of help, completion, src/cli/README.md and the command-line parser.

export interface Flag {
  readonly name: string;
  /** One letter: "f" for -f. */
  readonly short?: string;
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** Placeholder of the value in help: "PATH". */
  readonly value?: string;
  /** The value when the flag is not given. */
  readonly default?: string;
  /** Text of the default in help, where it depends on other settings. */
  readonly defaultText?: string;
  /** The accepted values. */
  readonly choices?: readonly string[];
  /** What shell completion offers as a value, where there are no choices. */
  readonly offers?: "file" | "folder";
  /** Whether the variable EGRET_… also sets the value; the flag takes precedence. */
  readonly variable?: boolean;
  /** Description in one line, with code in backticks. */
  readonly text: string;
}

/** A subcommand, such as `save` of `egret snapshot save`. */
export interface CommandWord {
  readonly word: string;
  /** Placeholder of its argument: "NAME". */
  readonly value?: string;
  readonly text: string;
}

export interface Command {
  readonly word: string;
  /** What follows the command in its usage, one line per form. */
  readonly usage: readonly string[];
  /** One line in the list of commands, with code in backticks. */
  readonly summary: string;
  /** Further text of the command's own help. */
  readonly text?: string;
  readonly words?: readonly CommandWord[];
  readonly flags: readonly Flag[];
  /** What shell completion offers for positional arguments. */
  readonly offers?: "file" | "folder";
}

/** The environment variable that also sets the flag. */
export const variableOf = ({ name }: Pick<Flag, "name">): string =>
  `EGRET_${name.toUpperCase().replaceAll("-", "_")}`;

/** A flag of every command. */
export const HELP_FLAG: Flag = { name: "help", short: "h", type: "boolean", text: "print this and exit" };
