// What a layout defines for a file.
import type { JsonObject } from "../../../../apimachinery/json/json.ts";
import type { ClusterNotes, Place } from "../source.ts";

/** A file that may hold objects. */
export interface Entry {
  readonly place?: Place;
  /** Completes a value to an object, if the layout omits some members. */
  readonly mend?: (value: JsonObject) => JsonObject;
}

export interface Layout {
  /** Matches a path that no other layout has. */
  readonly mark: RegExp;
  /** undefined: the file is ignored. */
  entryAt(path: string): Entry | undefined;
  readonly notes: ClusterNotes;
}
