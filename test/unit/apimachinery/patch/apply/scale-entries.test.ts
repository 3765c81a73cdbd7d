import { expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { ManagedFieldsEntry } from "../../../../../src/apimachinery/meta/object-meta.ts";
import {
  toObjectEntries,
  toScaleEntries,
} from "../../../../../src/apimachinery/patch/apply/scale-entries.ts";

const paths = new Map([
  ["example.org/v1", ["spec", "size"]],
  ["example.org/v2", ["spec", "replicas"]],
  ["example.org/v3", undefined],
]);
const TIME = "2024-01-01T00:00:00Z";

const entry = (
  manager: string,
  fieldsV1: JsonObject,
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  apiVersion: "example.org/v1",
  time: TIME,
  fieldsType: "FieldsV1",
  fieldsV1,
  ...more,
});
const SIZE = { "f:spec": { "f:size": {} } };
const SIZE_AND_MORE = { "f:spec": { "f:size": {}, "f:x": {} } };
const REPLICAS = { "f:spec": { "f:replicas": {} } };
const atScale = { apiVersion: "autoscaling/v1" };

const back = (ofObject: ManagedFieldsEntry[], ofScale: ManagedFieldsEntry[]) =>
  toObjectEntries(ofObject, ofScale, { apiVersion: "example.org/v1", paths });

test("a Scale shows who owns the replicas, whatever they are called", () => {
  const ofObject = [
    entry("ann", SIZE_AND_MORE, { operation: "Apply" }),
    entry("bob", { "f:spec": { "f:x": {} } }),
    entry("cat", REPLICAS, { apiVersion: "example.org/v2" }),
    entry("dan", SIZE, { apiVersion: "example.org/v3" }),
    entry("eve", SIZE, { apiVersion: "example.org/v9" }),
  ];
  expect(toScaleEntries(ofObject, paths)).toEqual([
    entry("ann", REPLICAS, { ...atScale, operation: "Apply" }),
    entry("cat", REPLICAS, atScale),
  ]);
});

test("nobody owns the replicas of an object without entries", () => {
  expect(toScaleEntries(undefined, paths)).toBeUndefined();
});

test("who scales takes the replicas from their owner, without a time", () => {
  const scaled = [entry("hpa", REPLICAS, { ...atScale, subresource: "scale" })];
  const { time: _, ...timeless } = entry("hpa", SIZE, { subresource: "scale" });
  expect(back([entry("ann", SIZE_AND_MORE)], scaled)).toEqual([
    timeless,
    entry("ann", { "f:spec": { "f:x": {} } }),
  ]);
});

test("an owner of nothing else is forgotten", () => {
  const scaled = [entry("hpa", REPLICAS, { ...atScale, operation: "Apply", subresource: "scale" })];
  expect(back([entry("ann", SIZE)], scaled)?.map(({ manager }) => manager)).toEqual(["hpa"]);
});

test("who applied keeps the replicas while the Scale says so", () => {
  const ofObject = [entry("ann", SIZE_AND_MORE, { operation: "Apply" })];
  expect(back(ofObject, toScaleEntries(ofObject, paths) ?? [])).toEqual(ofObject);
});

test("entries that have nothing to do with replicas stay, those of versions that are gone do not", () => {
  const kept = [
    entry("ann", { "f:spec": { "f:x": {} } }),
    entry("bob", SIZE, { apiVersion: "example.org/v3" }),
  ];
  expect(back([...kept, entry("eve", SIZE, { apiVersion: "example.org/v9" })], [])).toEqual(kept);
});
