import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, nameErrors, rowOf, update } from "../passage.ts";

const GROUP = "rbac.authorization.k8s.io";
const of = (kind: string) => definitionOf(`${GROUP}/${kind}`);
const KINDS = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];
const BINDINGS = ["RoleBinding", "ClusterRoleBinding"];
const VIEW = { apiGroup: GROUP, kind: "ClusterRole", name: "view" };

it.each(KINDS)("the name of a %s may hold what fits into a URL", (kind) => {
  expect(nameErrors(of(kind), "system:view_All")).toEqual([]);
  expect(nameErrors(of(kind), "a/b")).toEqual(["may not contain '/'"]);
});

describe.each(["Role", "ClusterRole"])("a %s", (kind) => {
  it("without rules has null", () => {
    expect(create(of(kind), { metadata: { name: "a" }, rules: [] }).object["rules"]).toBeNull();
    expect(create(of(kind), { metadata: { name: "a" } }).object["rules"]).toBeNull();
  });

  it("says what is missing in its rules; names may be of several resources", () => {
    const rules = [
      { verbs: ["get"], resources: ["pods", "nodes"], apiGroups: [""], resourceNames: ["a"] },
      {},
    ];
    expect(lines(create(of(kind), { metadata: { name: "a" }, rules }).errors)).toEqual([
      "rules[1].verbs: Required value: verbs must contain at least one value",
      "rules[1].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[1].resources: Required value: resource rules must supply at least one resource",
    ]);
  });
});

describe.each(BINDINGS)("a %s", (kind) => {
  const body = (roleRef: JsonObject, subjects: JsonObject[] = []) => ({
    metadata: { name: "a" },
    roleRef,
    subjects,
  });

  it("names the group of users, groups and roles itself", () => {
    const subjects = [
      { kind: "User", name: "u" },
      { kind: "Group", name: "g" },
      { kind: "ServiceAccount", name: "s", namespace: "n" },
    ];
    const { object } = create(of(kind), body({ kind: "ClusterRole", name: "view" }, subjects));
    expect(object["roleRef"]).toEqual(VIEW);
    expect(object["subjects"]).toEqual([
      { ...subjects[0], apiGroup: GROUP },
      { ...subjects[1], apiGroup: GROUP },
      subjects[2],
    ]);
  });

  it("keeps its role", () => {
    const before = create(of(kind), body(VIEW)).object;
    const errors = (roleRef: JsonObject) => lines(update(of(kind), { before, body: body(roleRef) }).errors);
    expect(errors(VIEW)).toEqual([]);
    expect(errors({ ...VIEW, name: "edit" })).toEqual([
      `roleRef: Invalid value: {"APIGroup":"${GROUP}","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef`,
    ]);
  });

  it("is shown with its role and its subjects", () => {
    const subjects = [
      { kind: "User", name: "u" },
      { kind: "ServiceAccount", name: "s", namespace: "n" },
      { kind: "User", name: "v" },
    ];
    expect(rowOf(of(kind), { ...body(VIEW, subjects) })).toMatchObject({
      Role: "ClusterRole/view",
      Users: "u, v",
      Groups: "",
      ServiceAccounts: "n/s",
    });
  });
});
