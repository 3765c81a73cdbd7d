import { describe, expect, test } from "vitest";
import type { ApiRequest } from "../../../../src/apiserver/api-request.ts";
import { readDeleteOptions } from "../../../../src/apiserver/request/delete-options.ts";
import { Query } from "../../../../src/apiserver/request/query.ts";
import type { DeleteOptions } from "../../../../src/registry/write/delete-options.ts";
import { refusal } from "../../registry/support.ts";

const request = (query: string, more: Partial<ApiRequest> = {}): ApiRequest => ({
  method: "DELETE",
  path: "/api/v1/namespaces/default/configmaps/c",
  query: new Query(query),
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

test("options in the body leave the query alone", () => {
  const options = readDeleteOptions(request("uid=u&gracePeriodSeconds=x", { body: Buffer.from("{}") }));
  expect(options).toEqual({});
  expect(fromBody({ preconditions: { uid: "v" } })).toEqual({ preconditions: { uid: "v" } });
});
