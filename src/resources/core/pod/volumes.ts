// The volumes of a pod: each has a name of its own and exactly one source.

import { duplicate, type FieldError, forbidden, required } from "../../../meta/field-error.ts";
import { isObject, type JsonObject, lookupTable, textAt } from "../../../meta/json.ts";
import { ruledMembers, schemaErrors } from "../../schema-rules.ts";

const VOLUME = "io.k8s.api.core.v1.Volume";
/** Sources that messages call otherwise. */
const CALLED: Readonly<Record<string, string>> = lookupTable({ cephfs: "cephFS", downwardAPI: "downwarAPI" });

/** The volumes by name that are as they should be, and what is wrong with the others. */
export function validateVolumes(
  field: string,
  volumes: readonly JsonObject[],
): { readonly errors: FieldError[]; readonly sources: ReadonlyMap<string, JsonObject> } {
  const sources = new Map<string, JsonObject>();
  const errors = volumes.flatMap((volume, index) => {
    const place = `${field}[${index}]`;
    const name = textAt(volume, "name");
    const found = validateVolume(place, volume);
    if (sources.has(name)) found.push(duplicate(`${place}.name`, name));
    if (found.length === 0) sources.set(name, volume);
    return found;
  });
  return { errors, sources };
}

/** Of several sources the first one counts, in the order of the rules; the name is looked at last. */
function validateVolume(field: string, volume: JsonObject): FieldError[] {
  const [first, ...others] = ruledMembers(VOLUME).filter((name) => isObject(volume[name]));
  const more = others.map((name) =>
    forbidden(`${field}.${CALLED[name] ?? name}`, "may not specify more than 1 volume type"),
  );
  const counted = Object.fromEntries(Object.entries(volume).filter(([name]) => !others.includes(name)));
  return schemaErrors(VOLUME, counted, {
    field,
    code: {
      sources: () => (first === undefined ? [required(field, "must specify a volume type")] : more),
    },
  });
}
