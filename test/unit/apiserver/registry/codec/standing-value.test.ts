// A value computed from its object decodes as if it had been stored.
import { expect, test } from "vitest";
import { toRevision } from "../../../../../src/apimachinery/meta/revision.ts";
import {
  decodeStored,
  encodeStored,
  peekStored,
  RawValue,
  uidOf,
} from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import { ownershipOf } from "../../../../../src/apiserver/registry/codec/ownership.ts";
import { POD_ORDER } from "../support.ts";

const object = {
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: {
    ...{ name: "web", namespace: "shop", uid: "u-1", resourceVersion: "77" },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }],
  },
  spec: { nodeName: "a" },
};
const key = "/registry/pods/shop/web";
const revision = toRevision(9);

test.each([undefined, POD_ORDER])("as it is stored, and as it is shown (order: %#)", (order) => {
  const standing = new RawValue(key, { object, order }, revision);
  const value = encodeStored(object, order);
  const written = { key, value, createRevision: revision, modRevision: revision };
  expect(ownershipOf(standing, true)).toEqual(ownershipOf(written, true));
  expect(decodeStored(standing)).toEqual(decodeStored(written));
  expect(peekStored(standing).metadata.resourceVersion).toBe("9");
  expect(Buffer.from(standing.value)).toEqual(value);
  expect(uidOf(standing)).toBe("u-1");
  expect(object.metadata.resourceVersion).toBe("77");
});
