// The volumes of a pod: each has a name of its own and exactly one source.

import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../meta/field-error.ts";
import { isObject, type JsonObject, lookupTable, textAt } from "../../../meta/json.ts";
import { ruledMembers, schemaErrors } from "../../schema-rules.ts";

const VOLUME = "io.k8s.api.core.v1.Volume";
/** Sources that messages call otherwise. */
const CALLED: Readonly<Record<string, string>> = lookupTable({ cephfs: "cephFS", downwardAPI: "downwarAPI" });
const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

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
      hostPath: ({ field: place, owner }) => validateHostPath(place, owner),
      descendingPath: ({ field: place, value }) => validateDescendingPath(place, String(value)),
    },
  });
}

function validateHostPath(field: string, source: JsonObject): FieldError[] {
  const path = textAt(source, "path");
  const type = textAt(source, "type");
  if (path === "") return [];
  const errors = backsteps(`${field}.path`, path);
  if (HOST_PATH_TYPES.includes(type)) return errors;
  return [...errors, notSupported(`${field}.type`, type, HOST_PATH_TYPES)];
}

/** A path below something, which must not lead out of it. */
export function validateDescendingPath(field: string, path: string): FieldError[] {
  const errors = path.startsWith("/") ? [invalid(field, path, "must be a relative path")] : [];
  return [...errors, ...backsteps(field, path)];
}

const backsteps = (field: string, path: string): FieldError[] =>
  path.split("/").includes("..") ? [invalid(field, path, "must not contain '..'")] : [];
