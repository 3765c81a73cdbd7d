// Flags of a program that an envtest executable replaces, with their effect here.
import type { GoFlag, GoFlagType } from "./go-flags.ts";

/**
 * `honoured`: same effect as in the program. `none`: accepted without effect. `refused`: the start fails, because
 * ignoring the flag would change what clients observe.
 */
export type FlagEffect = "honoured" | "none" | "refused";

export interface EffectiveFlag extends GoFlag {
  readonly effect: FlagEffect;
  /** Description, or why it has no effect or is refused; may be empty for a flag without effect. */
  readonly text: string;
}

/** A flag that is honoured; `short` is its single letter. */
export const honoured = (name: string, type: GoFlagType, text: string, short?: string): EffectiveFlag => ({
  ...{ name, type, text, effect: "honoured" },
  ...(short === undefined ? {} : { short }),
});

/** Flags without effect, and the reason where it matters. Names are separated by blanks. */
export const none = (type: GoFlagType, names: string, text = ""): readonly EffectiveFlag[] =>
  flagsOf("none", type, names, text);

/** Flags that are refused for the same reason. Names are separated by blanks. */
export const refused = (type: GoFlagType, names: string, why: string): readonly EffectiveFlag[] =>
  flagsOf("refused", type, names, why);

const flagsOf = (
  effect: FlagEffect,
  type: GoFlagType,
  names: string,
  text: string,
): readonly EffectiveFlag[] => names.split(" ").map((name) => ({ name, type, effect, text }));
