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

/** Several flags of which the same is to be said. */
export const flagsOf = (
  effect: FlagEffect,
  type: GoFlagType,
  text: string,
  names: string,
): readonly EffectiveFlag[] => names.split(" ").map((name) => ({ name, type, effect, text }));
