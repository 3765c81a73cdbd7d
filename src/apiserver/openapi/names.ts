// The names that OpenAPI documents are made of: operation ids, tags and schema names. Generated clients are built
// from them, so they follow one fixed recipe.
import type { JsonSchema } from "../../schema/schema-node.ts";

const REF_PREFIX = "#/components/schemas/";

export function refTo(name: string): { readonly $ref: string } {
  return { $ref: REF_PREFIX + name };
}

/** "#/components/schemas/io.k8s.api.core.v1.Pod" gives "io.k8s.api.core.v1.Pod". */
export function nameOfRef(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

/** The name behind a schema that is nothing but a $ref; undefined for any other. */
export function referencedName(schema: JsonSchema | undefined): string | undefined {
  const ref = schema?.["$ref"];
  return typeof ref === "string" ? nameOfRef(ref) : undefined;
}

/** Schemas of custom resources: the group backwards, then version and kind (org.ovn.k8s.v1.EgressIP). */
export function customSchemaName(group: string, version: string, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** "list", "k8s.ovn.org", "v1", "EgressIP" give listK8sOvnOrgV1EgressIP. */
export function operationId(verb: string, group: string, version: string, rest: string): string {
  return verb + camelCase(shortGroup(group), true) + camelCase(version, true) + rest;
}

/** The tag of all operations of a group version (k8sOvnOrg_v1), or of a group without a version. */
export function operationTag(group: string, version?: string): string {
  const head = camelCase(shortGroup(group), false);
  return version === undefined ? head : `${head}_${camelCase(version, false)}`;
}

function shortGroup(group: string): string {
  return group === "" ? "core" : group.replace(/\.k8s\.io$/, "");
}

/** Leaves out what is neither letter, digit nor underscore; the letter behind it becomes a capital. */
function camelCase(text: string, capitalizeFirst: boolean): string {
  let out = "";
  let capitalize = capitalizeFirst;
  for (const [index, char] of [...text].entries()) {
    if (!/[\p{L}_]/u.test(char) && !(index > 0 && /\d/.test(char))) {
      capitalize = true;
    } else {
      out += capitalize ? char.toUpperCase() : char;
      capitalize = false;
    }
  }
  return out;
}

export function capitalizeWord(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
