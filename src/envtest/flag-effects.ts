// What a table says of flags that were given: some are refused by name, and some have no effect.
import { UsageError } from "../server/errors.ts";
import type { EffectiveFlag } from "./effective-flag.ts";
import type { GoValues } from "./go-flags.ts";

/** Throws UsageError for the first flag that is refused. A boolean that is switched off asks for nothing. */
export function refuseFlags(flags: readonly EffectiveFlag[], values: GoValues): void {
  for (const { name, effect, text } of flags) {
    const given = values.get(name)?.at(-1);
    const isAskedFor = given !== undefined && given !== "false" && given !== "";
    if (effect === "refused" && isAskedFor) throw new UsageError(`--${name} is not supported: ${text}`);
  }
}

/** The flags that were given and change nothing, in the order of the table. */
export const withoutEffect = (flags: readonly EffectiveFlag[], values: GoValues): string[] =>
  flags.filter(({ name, effect }) => effect === "none" && values.has(name)).map(({ name }) => `--${name}`);
