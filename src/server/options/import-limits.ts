// Import limits from flags, for servers and for commands that read files themselves.
import { MEGABYTE, type SourceLimits } from "../../features/import/sources/limits.ts";
import { OPTIONS } from "./option-table.ts";
import { flagNameOf, type ServerOptions } from "./options.ts";
import type { FlagValues } from "./read-command-line.ts";

type LimitOptions = Pick<
  ServerOptions,
  "importUnpackedMb" | "importDocumentMb" | "importEntries" | "importRatio"
>;

/** Flags of all commands that read files. */
const NAMES = ["importUnpackedMb", "importDocumentMb", "importEntries", "importRatio"] as const;
export const LIMIT_FLAG_NAMES: readonly string[] = NAMES.map(flagNameOf);

export const limitsOf = (options: LimitOptions): SourceLimits => ({
  unpackedBytesMax: options.importUnpackedMb * MEGABYTE,
  documentBytesMax: options.importDocumentMb * MEGABYTE,
  entriesMax: options.importEntries,
  ratioMax: options.importRatio,
});

/** Throws UsageError. */
export function limitsIn(values: FlagValues): SourceLimits {
  const said = (name: (typeof NAMES)[number]): number => {
    const [option, flagName] = [OPTIONS[name], flagNameOf(name)];
    const value = values.get(flagName);
    return value === undefined ? option.unset : option.read(value, flagName);
  };
  const [importUnpackedMb, importDocumentMb] = [said("importUnpackedMb"), said("importDocumentMb")];
  const [importEntries, importRatio] = [said("importEntries"), said("importRatio")];
  return limitsOf({ importUnpackedMb, importDocumentMb, importEntries, importRatio });
}
