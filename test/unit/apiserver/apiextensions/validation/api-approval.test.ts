import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { validateCrd } from "../../../../../src/apiserver/apiextensions/validation/validate-crd.ts";
import { crdWith, found } from "./support.ts";

describe("groups of the Kubernetes project", () => {
  const approvedAs = (text?: string): KubeObject => {
    const crd = crdWith({ group: "x.k8s.io" });
    if (text !== undefined) crd.metadata.annotations = { "api-approved.kubernetes.io": text };
    return crd;
  };

  test.each([
    [
      "need a word about their approval",
      undefined,
      /Required value: protected groups must have approval annotation/,
    ],
    ["need one that is a URL", "soon", /with either a URL or a reason starting with "unapproved"/],
  ])("%s", (_rule, text, expected) => {
    expect(found(approvedAs(text))).toEqual([expect.stringMatching(expected)]);
  });

  test("may say that there is none, or where it is", () => {
    expect(found(approvedAs("unapproved, experimental"))).toEqual([]);
    expect(found(approvedAs("https://github.com/kubernetes/enhancements/pull/1"))).toEqual([]);
  });

  test("are not asked again while nothing about it changes", () => {
    expect(validateCrd(approvedAs(), approvedAs())).toEqual([]);
  });
});
