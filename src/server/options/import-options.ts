// The options of --import: which objects are imported, and the limits.
import { DEFAULT_LIMITS, MEGABYTE } from "../../features/import/sources/limits.ts";
import { count, onOff } from "./option.ts";

export const IMPORT_OPTIONS = {
  importSecrets: onOff({ text: "with `--import`: Secrets, too" }),
  importUnpackedMb: count(DEFAULT_LIMITS.unpackedBytesMax / MEGABYTE, {
    text: "megabytes that an imported source may have once it is unpacked",
  }),
  importDocumentMb: count(DEFAULT_LIMITS.documentBytesMax / MEGABYTE, {
    text: "megabytes of one imported file or document that can only be read as a whole",
  }),
  importEntries: count(DEFAULT_LIMITS.entriesMax, {
    text: "files of an imported folder, or entries of an archive",
  }),
  importRatio: count(DEFAULT_LIMITS.ratioMax, {
    text: "so many times its own size an imported file may unpack to, where that is more than 64 MB",
  }),
  importMemoryMb: count(2048, {
    text: "megabytes of memory that the reading of a file sent to the server may take; more ends the reading alone",
  }),
  importSeconds: count(600, {
    text: "seconds that the reading of a file sent to the server may take",
  }),
};
