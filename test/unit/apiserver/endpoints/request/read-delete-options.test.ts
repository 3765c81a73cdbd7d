import { describe, expect, test } from "vitest";
import type { ApiRequest } from "../../../../../src/apiserver/endpoints/api-request.ts";
import { readDeleteOptions } from "../../../../../src/apiserver/endpoints/request/options.ts";
import type { DeleteOptions } from "../../../../../src/apiserver/registry/definition/request-context.ts";
import { askedFor } from "../../../../support/asked-for.ts";
import { refusal } from "../../registry/support.ts";

const request = (query: string, more: Partial<ApiRequest> = {}): ApiRequest => ({
  ...askedFor("DELETE", "/api/v1/namespaces/default/configmaps/c", query),
  headers: { "content-type": "application/json" },
  body: undefined,
  user: { name: "me", groups: [] },
  ...more,
});

const fromQuery = (query: string) => readDeleteOptions(request(query));
const fromBody = (body: unknown) =>
  readDeleteOptions(request("", { body: Buffer.from(JSON.stringify(body)) }));

describe("options in the query", () => {
  test.each<[string, DeleteOptions]>([
    ["", {}],
    ["gracePeriodSeconds=5&orphanDependents=false", { gracePeriodSeconds: 5, orphanDependents: false }],
    ["propagationPolicy=Orphan&dryRun=All", { propagationPolicy: "Orphan", dryRun: ["All"] }],
    ["uid=u", { preconditions: { uid: "u" } }],
    ["resourceVersion=7", { preconditions: { resourceVersion: "7" } }],
    ["uid=u&resourceVersion=7&uid=v", { preconditions: { uid: "u", resourceVersion: "7" } }],
    ["uid=&resourceVersion=", {}],
  ])("%j", (query, options) => {
    expect(fromQuery(query)).toEqual({ dryRun: [], ...options });
  });

  test.each([
    ["gracePeriodSeconds=", '400 strconv.ParseInt: parsing "": invalid syntax'],
    [
      "propagationPolicy=",
      '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
  ])("%s is refused", (query, why) => {
    expect(refusal(() => fromQuery(query))).toBe(why);
  });
});

describe("options in the body", () => {
  test("leave the query alone", () => {
    expect(readDeleteOptions(request("uid=u&gracePeriodSeconds=x", { body: Buffer.from("{}") }))).toEqual({});
  });

  test.each<[unknown, DeleteOptions]>([
    [null, {}],
    [{ apiVersion: "nope.example/v1", kind: "DeleteOptions" }, {}],
    [
      { gracePeriodSeconds: 5, orphanDependents: true },
      { gracePeriodSeconds: 5, orphanDependents: true },
    ],
    [
      { propagationPolicy: "Orphan", dryRun: ["All"] },
      { propagationPolicy: "Orphan", dryRun: ["All"] },
    ],
    [
      { preconditions: { uid: "v", resourceVersion: "" } },
      { preconditions: { uid: "v", resourceVersion: "" } },
    ],
    [{ gracePeriodSeconds: null, preconditions: null, dryRun: null, propagationPolicy: null }, {}],
    [{ other: 1, ignoreStoreReadErrorWithClusterBreakingPotential: true }, {}],
  ])("%j", (body, options) => {
    expect(fromBody(body)).toEqual(options);
  });

  const field = (kind: string, path: string, type: string) =>
    `400 json: cannot unmarshal ${kind} into Go struct field ${path} of type ${type}`;
  test.each([
    [{ gracePeriodSeconds: 1.5 }, field("number 1.5", "DeleteOptions.gracePeriodSeconds", "int64")],
    [{ gracePeriodSeconds: "x" }, field("string", "DeleteOptions.gracePeriodSeconds", "int64")],
    [{ orphanDependents: "true" }, field("string", "DeleteOptions.orphanDependents", "bool")],
    [{ propagationPolicy: 5 }, field("number", "DeleteOptions.propagationPolicy", "v1.DeletionPropagation")],
    [{ preconditions: [] }, field("array", "DeleteOptions.preconditions", "v1.Preconditions")],
    [{ preconditions: { uid: 5 } }, field("number", "Preconditions.preconditions.uid", "types.UID")],
    [
      { preconditions: { resourceVersion: 5 } },
      field("number", "Preconditions.preconditions.resourceVersion", "string"),
    ],
    [{ dryRun: "All" }, field("string", "DeleteOptions.dryRun", "[]string")],
    [{ dryRun: [5] }, field("number", "DeleteOptions.dryRun", "string")],
    [
      { dryRun: [null] },
      '422 DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: supported values: "All"',
    ],
    [{ apiVersion: "a/b/c", kind: "Pod" }, "400 unexpected GroupVersion string: a/b/c"],
    [
      { kind: "Pod", gracePeriodSeconds: "x" },
      '400 no kind "Pod" is registered for version "meta.k8s.io/v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
    ],
    [
      [],
      /^400 couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value of type/,
    ],
    [{ kind: 5 }, /^400 couldn't get version\/kind; json parse error: json: cannot unmarshal number into/],
  ])("%j is refused", (body, why) => {
    expect(refusal(() => fromBody(body))).toEqual(typeof why === "string" ? why : expect.stringMatching(why));
  });
});
