// What becomes of a flag of the program that an executable of an envtest folder replaces.
import type { GoFlag, GoFlagType } from "./go-flags.ts";

/**
 * `honoured`: does what it does in the program. `none`: accepted without effect. `refused`: a start with it fails, since clients
 * would meet something else than what the flag promises.
 */
export type FlagEffect = "honoured" | "none" | "refused";

export interface EffectiveFlag extends GoFlag {
  readonly effect: FlagEffect;
  /** What it is for, why it has no effect or is refused; may be empty for one without effect. */
  readonly text: string;
}

/** A flag that is honoured; `short` is its one letter. */
export const honoured = (name: string, type: GoFlagType, text: string, short?: string): EffectiveFlag => ({
  ...{ name, type, text, effect: "honoured" },
  ...(short === undefined ? {} : { short }),
});

/** Flags without effect, and why where that is worth saying; their names with blanks between them. */
export const none = (type: GoFlagType, names: string, text = ""): readonly EffectiveFlag[] =>
  flagsOf("none", type, names, text);

/** Flags that are refused for the same reason; their names with blanks between them. */
export const refused = (type: GoFlagType, names: string, why: string): readonly EffectiveFlag[] =>
  flagsOf("refused", type, names, why);

const flagsOf = (
  effect: FlagEffect,
  type: GoFlagType,
  names: string,
  text: string,
): readonly EffectiveFlag[] => names.split(" ").map((name) => ({ name, type, effect, text }));
