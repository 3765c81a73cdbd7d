// All fuzz targets: one for every parser of external data. A thread loads only what its target needs.
import { createRequire } from "node:module";
import type { ParserTarget } from "./target.ts";

/** The file of each target, and its export name there. */
const PLACES: Readonly<Record<string, readonly [file: string, name: string]>> = {
  json: ["json", "JSON_TARGET"],
  yaml: ["yaml", "YAML_TARGET"],
  protobuf: ["protobuf", "PROTOBUF_TARGET"],
  "label-selector": ["selectors", "LABEL_SELECTOR_TARGET"],
  "field-selector": ["selectors", "FIELD_SELECTOR_TARGET"],
  cel: ["cel", "CEL_TARGET"],
  jwt: ["jwt", "JWT_TARGET"],
  der: ["der", "DER_TARGET"],
  pem: ["der", "PEM_TARGET"],
  tar: ["archives", "TAR_TARGET"],
  zip: ["archives", "ZIP_TARGET"],
  gzip: ["archives", "GZIP_TARGET"],
  "text-file": ["archives", "TEXT_FILE_TARGET"],
  bbolt: ["databases", "BBOLT_TARGET"],
  "leveldb-log": ["databases", "LEVEL_LOG_TARGET"],
  "leveldb-table": ["databases", "LEVEL_TABLE_TARGET"],
  kubeconfig: ["kubeconfig", "KUBECONFIG_TARGET"],
};

export const TARGET_NAMES: readonly string[] = Object.keys(PLACES);

/** Requires tsx to be registered for require(). Throws for an unknown target. */
export function targetNamed(name: string): ParserTarget {
  const [file, exported = ""] = PLACES[name] ?? [];
  const found = createRequire(import.meta.url)(`./targets/${file}.ts`) as Record<string, ParserTarget>;
  const target = found[exported];
  if (target === undefined) throw new Error(`there is no target ${name}`);
  return target;
}
