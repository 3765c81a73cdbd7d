// Schemas, objects and expectations for the tests of src/apimachinery/patch.
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { type Status, StatusError } from "../../../../src/apimachinery/meta/status.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import type { SchemaNode } from "../../../../src/apimachinery/schema/schema-node.ts";

const SCHEMAS = new URL("../../../../schemas/", import.meta.url);

function readDefinitions(directory: string): [string, JsonObject][] {
  const folder = new URL(directory, SCHEMAS);
  return readdirSync(folder).flatMap((file) => {
    const { definitions } = parse(readFileSync(new URL(file, folder), "utf8"));
    return Object.entries<JsonObject>(definitions);
  });
}

const definitions = new Map([...readDefinitions("core/v1/"), ...readDefinitions("meta/v1/")]);

/** The node of a kind of the core group. */
export const coreNode = (kind: string): SchemaNode =>
  compileSchema({ $ref: `#/components/schemas/io.k8s.api.core.v1.${kind}` }, (ref) => {
    const found = definitions.get(ref.slice(ref.lastIndexOf("/") + 1));
    if (found === undefined) throw new Error(`no definition of ${ref}`);
    return found;
  });

/** The node of a custom resource whose spec has these properties. */
export const customNode = (properties: JsonObject): SchemaNode =>
  compileSchema({
    type: "object",
    properties: { spec: { type: "object", properties }, status: { type: "object" } },
  });

/** The status that the call fails with. */
export function refusal(call: () => unknown): Status {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    return (error as StatusError).status; // as the line above says
  }
  throw new Error("nothing was refused");
}
