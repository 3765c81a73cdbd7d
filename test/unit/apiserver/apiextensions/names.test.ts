import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { conditionsOf } from "../../../../src/apiserver/apiextensions/conditions.ts";
import { statusWithNames } from "../../../../src/apiserver/apiextensions/names.ts";

const THING = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
const OTHER = { plural: "others", singular: "other", kind: "Other", listKind: "OtherList" };

function crdOf(names: JsonObject, status: JsonObject = {}, spec: JsonObject = {}): KubeObject {
  const group = "example.com";
  return {
    metadata: { name: `${String(names["plural"])}.${group}` },
    spec: { group, names, ...spec },
    status,
  };
}

function settle(crd: KubeObject, ...others: KubeObject[]) {
  const { status, hasConflict } = statusWithNames(crd, [crd, ...others], 0);
  const conditions = conditionsOf({ ...crd, status });
  const states = conditions.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
  const accepted = conditions.find(({ type }) => type === "NamesAccepted");
  expect(hasConflict).toBe(accepted?.status === "False");
  return { status, states, names: status["acceptedNames"], message: accepted?.message };
}

const served = (names: JsonObject): KubeObject => crdOf(names, { acceptedNames: names });

describe("names", () => {
  test("that nobody has are accepted, and the kind is established", () => {
    const { names, states } = settle(crdOf({ ...THING, shortNames: ["th"], categories: ["all"] }));
    expect(names).toEqual({ ...THING, shortNames: ["th"], categories: ["all"] });
    expect(states).toEqual(["NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"]);
  });

  test("that another one has are not, and the last conflict is told", () => {
    const { names, states, message } = settle(crdOf({ ...THING, plural: "others" }), served(THING));
    expect(names).toEqual({ plural: "others", kind: "" });
    expect(states).toEqual(["NamesAccepted=False ListKindConflict", "Established=False NotAccepted"]);
    expect(message).toBe('"ThingList" is already in use');
  });

  test("of another group are free", () => {
    const other = { ...served(THING), spec: { group: "example.org", names: THING } };
    expect(settle(crdOf(THING), other).names).toEqual(THING);
  });

  test("share one list: a short name may be no plural of another", () => {
    const { names, message } = settle(
      crdOf({ ...OTHER, shortNames: ["things", "thing", "o"] }),
      served(THING),
    );
    expect(message).toBe('["things" is already in use, "thing" is already in use]');
    expect(names).toEqual(OTHER);
  });

  test("that are held already are kept, whoever else wants them", () => {
    const crd = crdOf({ ...THING, shortNames: ["th"] }, { acceptedNames: { ...THING, shortNames: ["th"] } });
    expect(settle(crd, served({ ...OTHER, shortNames: ["th"] })).names).toEqual({
      ...THING,
      shortNames: ["th"],
    });
  });

  test("of an established kind that are taken later leave it established with the old ones", () => {
    const held = { acceptedNames: THING, conditions: [{ type: "Established", status: "True" }] };
    const { names, states } = settle(
      crdOf({ ...THING, shortNames: ["o"] }, held),
      served({ ...OTHER, shortNames: ["o"] }),
    );
    expect(names).toEqual(THING);
    expect(states).toEqual(["Established=True undefined", "NamesAccepted=False ShortNamesConflict"]);
  });

  test("that stay as they are leave the status as it is", () => {
    const first = settle(crdOf(THING)).status;
    expect(settle(crdOf(THING, first)).status).toBe(first);
  });
});

test("a kind whose webhook has unreadable certificates is not established", () => {
  const conversion = { webhook: { clientConfig: { caBundle: "eA==" } } };
  expect(settle(crdOf(THING, {}, { conversion })).states[1]).toBe("Established=False InvalidCABundle");
});

test("a group of the Kubernetes project says whether it was approved", () => {
  const crd = crdOf(THING, {}, { group: "x.k8s.io" });
  crd.metadata.annotations = { "api-approved.kubernetes.io": "unapproved" };
  expect(settle(crd).states[2]).toBe("KubernetesAPIApprovalPolicyConformant=False UnapprovedAnnotation");
});
