import { describe, expect, test } from "vitest";
import type { KubeObject, ManagedFieldsEntry } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { setOfPaths } from "../../../../../src/apimachinery/patch/apply/fields/field-set.ts";
import { encodeFieldSet, encodeLate } from "../../../../../src/apimachinery/patch/apply/fields/fields-v1.ts";
import { protobufLength } from "../../../../../src/apiserver/endpoints/protobuf/codec.ts";
import {
  encodeStored,
  encodeStoredInTurns,
  type MemberTexts,
} from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import { type Fitting, fitStored } from "../../../../../src/apiserver/registry/write/commit.ts";
import { POD_ORDER } from "../support.ts";

const KIBIBYTE = 1024;
const messageLength = (object: Readonly<KubeObject>) =>
  protobufLength(object.apiVersion ?? "", object.kind ?? "", object);

/** An object of about so many bytes, of which so many are managedFields. */
function configMap(kibibytes: number, ownedKibibytes: number, encode = encodeFieldSet): KubeObject {
  const names = Array.from({ length: ownedKibibytes }, (_, index) => `${index}`.padEnd(KIBIBYTE, "x"));
  const fields = setOfPaths(names.map((name) => [{ type: "field", name }]));
  const entry: ManagedFieldsEntry = {
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: encode(fields),
    manager: "ann",
    operation: "Update",
  };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "c",
      uid: "u",
      creationTimestamp: "2026-11-20T08:00:00Z",
      ...(ownedKibibytes > 0 ? { managedFields: [entry] } : {}),
    },
    data: { a: "x".repeat(kibibytes * KIBIBYTE), "ä<": "1" },
  };
}

const FITTINGS: readonly (readonly [string, Fitting])[] = [true, false].flatMap((custom) =>
  [true, false].map((keepsManagers) => [
    `${custom ? "JSON" : "a message"}${keepsManagers ? ", applied" : ""}`,
    {
      key: "/registry/configmaps/default/c",
      order: custom ? undefined : POD_ORDER,
      revision: undefined,
      messageLength,
      keepsManagers,
    },
  ]),
);

describe.each(FITTINGS)("as %s", (_form, fitting) => {
  test.each([
    [1, 0],
    [1, 100],
    [1500, 0],
    [1500, 30],
    [1500, 100],
    [1600, 0],
    [1600, 100],
    [2100, 0],
    [2100, 100],
    [100, 1600],
  ])("%d KiB and %d KiB of managers are stored in turns as at once", async (size, owned) => {
    const object = configMap(size, owned);
    const runSync = async () => fitStored(object, encodeStored(object, fitting.order), fitting);
    const runYielding = async (large: KubeObject) => {
      const texts: MemberTexts = new Map();
      return fitStored(large, await encodeStoredInTurns(large, fitting.order, texts), fitting, texts);
    };
    const outcome = (stored: Promise<Buffer>) => stored.then(String, (error: unknown) => String(error));
    const expected = await outcome(runSync());
    expect(await outcome(runYielding(object))).toBe(expected);
    expect(await outcome(runYielding(configMap(size, owned, encodeLate)))).toBe(expected);
  });
});
