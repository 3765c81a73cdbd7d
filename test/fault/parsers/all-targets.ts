// All fuzz targets: every parser of what comes from outside has one. A thread loads what its target needs.
import type { ParserTarget } from "./target.ts";

type Load = () => Promise<ParserTarget>;

const archive = async (name: "TAR" | "ZIP" | "GZIP" | "TEXT_FILE") =>
  (await import("./targets/archives.ts"))[`${name}_TARGET`];
const database = async (name: "BBOLT" | "LEVEL_LOG" | "LEVEL_TABLE") =>
  (await import("./targets/databases.ts"))[`${name}_TARGET`];
const selector = async (name: "LABEL_SELECTOR" | "FIELD_SELECTOR") =>
  (await import("./targets/selectors.ts"))[`${name}_TARGET`];

export const TARGETS: ReadonlyMap<string, Load> = new Map<string, Load>([
  ["json", async () => (await import("./targets/json.ts")).JSON_TARGET],
  ["yaml", async () => (await import("./targets/yaml.ts")).YAML_TARGET],
  ["protobuf", async () => (await import("./targets/protobuf.ts")).PROTOBUF_TARGET],
  ["label-selector", () => selector("LABEL_SELECTOR")],
  ["field-selector", () => selector("FIELD_SELECTOR")],
  ["cel", async () => (await import("./targets/cel.ts")).CEL_TARGET],
  ["jwt", async () => (await import("./targets/jwt.ts")).JWT_TARGET],
  ["der", async () => (await import("./targets/der.ts")).DER_TARGET],
  ["pem", async () => (await import("./targets/der.ts")).PEM_TARGET],
  ["tar", () => archive("TAR")],
  ["zip", () => archive("ZIP")],
  ["gzip", () => archive("GZIP")],
  ["text-file", () => archive("TEXT_FILE")],
  ["bbolt", () => database("BBOLT")],
  ["leveldb-log", () => database("LEVEL_LOG")],
  ["leveldb-table", () => database("LEVEL_TABLE")],
  ["kubeconfig", async () => (await import("./targets/kubeconfig.ts")).KUBECONFIG_TARGET],
]);
