import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { JsonObject } from "../../src/apimachinery/json/json.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/resources");

/** The valid object of a kind; undefined where it has no fixtures. */
export function validFixture(group: string, version: string, kind: string): JsonObject | undefined {
  const path = join(FIXTURES, `${group === "" ? "core" : group}.${version}.${kind}`, "valid.yaml");
  return existsSync(path) ? (parse(readFileSync(path, "utf8")) as JsonObject) : undefined; // fixtures are objects
}
