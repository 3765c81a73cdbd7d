// What a flag and a command are as data. Help, completion, the README and the reader of command lines are made of it.

export interface Flag {
  readonly name: string;
  /** One letter: "f" for -f. */
  readonly short?: string;
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** What stands for the value in a text: "PATH". */
  readonly value?: string;
  /** The value when nobody says one. */
  readonly default?: string;
  /** How the default is told where it depends on something else. */
  readonly defaultText?: string;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** What a shell offers as a value, where there are no choices. */
  readonly offers?: "file" | "folder";
  /** Whether the variable EGRET_… says the same; a flag goes before it. */
  readonly variable?: boolean;
  /** What it is for, in one line; code stands in backticks. */
  readonly text: string;
}

/** A word that a command takes, such as `save` of `egret snapshot save`. */
export interface CommandWord {
  readonly word: string;
  /** What follows it: "NAME". */
  readonly value?: string;
  readonly text: string;
}

export interface Command {
  readonly word: string;
  /** What follows the word in its usage, one line for each form. */
  readonly usage: readonly string[];
  /** One line in the list of commands; code stands in backticks. */
  readonly summary: string;
  /** What there is to know beside it, for its own help. */
  readonly text?: string;
  readonly words?: readonly CommandWord[];
  readonly flags: readonly Flag[];
  /** What a shell offers for the words that are no flags. */
  readonly offers?: "file" | "folder";
}

/** The variable that says the same as a flag. */
export const variableOf = ({ name }: Pick<Flag, "name">): string =>
  `EGRET_${name.toUpperCase().replaceAll("-", "_")}`;

/** Every command has it. */
export const HELP_FLAG: Flag = { name: "help", short: "h", type: "boolean", text: "print this and exit" };
