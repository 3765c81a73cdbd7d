import { describe, expect, test } from "vitest";
import { readInteger } from "../../../../../src/apimachinery/meta/query.ts";
import { StatusError } from "../../../../../src/apimachinery/meta/status.ts";
import {
  readListRequest,
  readWatchRequest,
  readWriteOptions,
} from "../../../../../src/apiserver/endpoints/request/options.ts";
import { Query } from "../../../../../src/apiserver/endpoints/request/request-info.ts";
import { ResourceRegistry } from "../../../../../src/apiserver/registry/resource-registry.ts";
import { BUILT_IN_RESOURCES } from "../../../../../src/kube/index.ts";
import { askedFor } from "../../../../support/asked-for.ts";

const registry = new ResourceRegistry();
registry.set(...BUILT_IN_RESOURCES);
const view = registry.find("", "v1", "configmaps");
if (view === undefined) throw new Error("configmaps are not served");

/** What the refusal says, with its code. */
function refusal(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const PATH = "/api/v1/namespaces/default/configmaps";
const list = (query: string) => readListRequest(view, askedFor("GET", PATH, query));
const watch = (query: string, path = PATH) => readWatchRequest(view, askedFor("GET", path, query));
const invalidList = (why: string) => `422 ListOptions.meta.k8s.io "" is invalid: ${why}`;

describe("numbers", () => {
  test.each([
    ["", undefined],
    ["n=0", 0],
    ["n=%2B5", 5],
    ["n=-5", -5],
    ["n=007", 7],
  ])("%j is %s", (query, value) => {
    expect(readInteger(new Query(query), "n")).toBe(value);
  });

  test.each([
    ["", '400 strconv.ParseInt: parsing "": invalid syntax'],
    ["abc", '400 strconv.ParseInt: parsing "abc": invalid syntax'],
    ["1.5", '400 strconv.ParseInt: parsing "1.5": invalid syntax'],
    ["9223372036854775808", '400 strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ["-9223372036854775809", '400 strconv.ParseInt: parsing "-9223372036854775809": value out of range'],
  ])("%j is refused", (text, why) => {
    expect(refusal(() => readInteger(new Query(`n=${text}`), "n"))).toBe(why);
  });
});

describe("the request of a list", () => {
  test.each([
    ["limit", ""],
    ["timeoutSeconds=", ""],
    ["limit=x&timeoutSeconds=y", "y"],
  ])("%s: the first number in the order of ListOptions is complained of", (query, text) => {
    expect(refusal(() => list(query))).toBe(`400 strconv.ParseInt: parsing "${text}": invalid syntax`);
  });

  test("are nothing unless said", () => {
    expect(list("")).toEqual({
      namespace: "default",
      selection: { labels: undefined, fields: undefined },
      resourceVersion: "",
      resourceVersionMatch: "",
      limit: 0,
      continueToken: "",
    });
  });

  test("are what is said", () => {
    const options = list("limit=5&continue=abc&labelSelector=a%3Db");
    expect(options).toMatchObject({ limit: 5, continueToken: "abc" });
    expect(options.selection.labels?.matches({ a: "b" })).toBe(true);
  });

  test.each([
    ["a negative limit is none", "limit=-1", { limit: 0 }],
    [
      "an empty label selector selects everything",
      "labelSelector=%20",
      { selection: { labels: undefined, fields: undefined } },
    ],
    [
      "Exact needs a version",
      "resourceVersion=5&resourceVersionMatch=Exact",
      { resourceVersionMatch: "Exact" },
    ],
    [
      "NotOlderThan takes any version",
      "resourceVersion=0&resourceVersionMatch=NotOlderThan",
      { resourceVersion: "0" },
    ],
  ])("%s", (_rule, query, expected) => {
    expect(list(query)).toMatchObject(expected);
  });

  const MATCH = "resourceVersionMatch";
  test.each([
    [`${MATCH}=Exact`, `${MATCH}: Forbidden: ${MATCH} is forbidden unless resourceVersion is provided`],
    [
      `${MATCH}=Exact&resourceVersion=0`,
      `${MATCH}: Forbidden: ${MATCH} "exact" is forbidden for resourceVersion "0"`,
    ],
    [
      `${MATCH}=Exact&resourceVersion=5&continue=x`,
      `${MATCH}: Forbidden: ${MATCH} is forbidden when continue is provided`,
    ],
    [
      `${MATCH}=Nearly&resourceVersion=5`,
      `${MATCH}: Unsupported value: "Nearly": supported values: "Exact", "NotOlderThan", ""`,
    ],
    ["sendInitialEvents=true", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
    ["sendInitialEvents=false", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
  ])("%s is refused", (query, why) => {
    expect(refusal(() => list(query))).toBe(invalidList(why));
  });

  test("all findings are told at once", () => {
    expect(refusal(() => list(`${MATCH}=Nearly&sendInitialEvents=true`))).toBe(
      invalidList(
        `[${MATCH}: Forbidden: ${MATCH} is forbidden unless resourceVersion is provided, ${MATCH}: Unsupported value: "Nearly": supported values: "Exact", "NotOlderThan", "", sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list]`,
      ),
    );
  });
});

describe("the request of a watch", () => {
  test("has what a watch needs, and nothing of a list", () => {
    expect(watch("timeoutSeconds=7&allowWatchBookmarks=1&fieldSelector=metadata.name%3Da&limit=3")).toEqual({
      namespace: "default",
      selection: {
        labels: undefined,
        fields: expect.objectContaining({ name: "a" }),
      },
      resourceVersion: "",
      sendInitialEvents: true,
      mayExpire: true,
      timeoutMs: 7000,
      allowWatchBookmarks: true,
    });
  });

  test.each(["", "timeoutSeconds=0"])("%j: half an hour", (query) => {
    expect(watch(query).timeoutMs).toBe(1_800_000);
  });

  test("of one object selects it by its name", () => {
    const { selection } = watch("", "/api/v1/watch/namespaces/default/configmaps/c");
    expect(selection.fields?.name).toBe("c");
  });

  test.each([
    ["without a version it begins with what there is", "", { sendInitialEvents: true }],
    ["version 0 is no version", "resourceVersion=0", { sendInitialEvents: true }],
    ["from a version on there is nothing initial", "resourceVersion=5", { sendInitialEvents: false }],
    [
      "initial events on request",
      "resourceVersion=5&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
      { sendInitialEvents: true, resourceVersion: "5" },
    ],
    [
      "no initial events on request",
      "sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
      { sendInitialEvents: false },
    ],
    ["a token means nothing from a version on", "resourceVersion=5&continue=x", { resourceVersion: "5" }],
  ])("%s", (_rule, query, expected) => {
    expect(watch(query)).toMatchObject(expected);
  });

  const MATCH = "resourceVersionMatch";
  test.each([
    [
      "sendInitialEvents=true",
      `${MATCH}: Forbidden: sendInitialEvents requires setting ${MATCH} to NotOlderThan`,
    ],
    [
      `${MATCH}=NotOlderThan&resourceVersion=5`,
      `${MATCH}: Forbidden: ${MATCH} is forbidden for watch unless sendInitialEvents is provided`,
    ],
    ["continue=x", `${MATCH}: Forbidden: ${MATCH} is forbidden when continue is provided`],
  ])("%s is refused", (query, why) => {
    expect(refusal(() => watch(query))).toBe(invalidList(why));
  });
});

describe("options of a write", () => {
  const write = (query: string) => readWriteOptions(new Query(query), "CreateOptions");
  const invalidWrite = (why: string) => `422 CreateOptions.meta.k8s.io "" is invalid: ${why}`;

  test.each([
    ["", { dryRun: false, fieldManager: "", fieldValidation: "Warn" }],
    ["fieldValidation=", { dryRun: false, fieldManager: "", fieldValidation: "Warn" }],
    [
      "dryRun=All&fieldManager=me&fieldValidation=Strict",
      { dryRun: true, fieldManager: "me", fieldValidation: "Strict" },
    ],
    [
      "dryRun=All&dryRun=All&fieldValidation=Ignore",
      { dryRun: true, fieldManager: "", fieldValidation: "Ignore" },
    ],
  ])("%j", (query, options) => {
    expect(write(query)).toEqual(options);
  });

  test.each([
    [
      "fieldValidation=strict",
      'fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    ["dryRun=none", 'dryRun: Unsupported value: ["none"]: supported values: "All"'],
    [`fieldManager=${"a".repeat(129)}`, "fieldManager: Too long: may not be more than 128 bytes"],
  ])("%s is refused", (query, why) => {
    expect(refusal(() => write(query))).toBe(invalidWrite(why));
  });
});
