// What a layout says of a file.
import type { JsonObject } from "../../meta/json.ts";
import type { ClusterNotes, Place } from "../source.ts";

/** A file that may hold objects. */
export interface Entry {
  readonly place?: Place;
  /** Gives a value what makes an object of it, where the form leaves that out. */
  readonly mend?: (value: JsonObject) => JsonObject;
}

export interface Layout {
  /** No other layout has such a path. */
  readonly mark: RegExp;
  /** undefined: of no interest. */
  entryAt(path: string): Entry | undefined;
  readonly notes: ClusterNotes;
}
