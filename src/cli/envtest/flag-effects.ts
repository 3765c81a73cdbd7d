// Evaluation of given flags by their effect: refused, or without effect.
import { UsageError } from "../../server/errors.ts";
import type { EffectiveFlag } from "./effective-flag.ts";
import type { GoValues } from "./go-flags.ts";

/** Throws UsageError for the first refused flag. A boolean that is set to false is accepted. */
export function refuseFlags(flags: readonly EffectiveFlag[], values: GoValues): void {
  for (const { name, effect, text } of flags) {
    const given = values.get(name)?.at(-1);
    const isAskedFor = given !== undefined && given !== "false" && given !== "";
    if (effect === "refused" && isAskedFor) throw new UsageError(`--${name} is not supported: ${text}`);
  }
}

/** The given flags without effect, in the order of the table. */
export const withoutEffect = (flags: readonly EffectiveFlag[], values: GoValues): string[] =>
  flags.filter(({ name, effect }) => effect === "none" && values.has(name)).map(({ name }) => `--${name}`);
