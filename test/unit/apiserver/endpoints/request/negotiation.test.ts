import { describe, expect, test } from "vitest";
import { StatusError } from "../../../../../src/apimachinery/meta/status.ts";
import {
  bodyFormat,
  negotiateAnswer,
  negotiateError,
  parseAccept,
} from "../../../../../src/apiserver/endpoints/request/negotiation.ts";

const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
const PROTOBUF = "application/vnd.kubernetes.protobuf";
const TABLE = "as=Table;g=meta.k8s.io;v=v1";

/** "TYPE", "TYPE as KIND/VERSION" or the code of the refusal. */
function negotiated(accept: string | undefined, hasProtobuf = true): string | number {
  try {
    const { mediaType, transform } = negotiateAnswer(accept, () => hasProtobuf);
    return transform ? `${mediaType} as ${transform.kind}/${transform.version}` : mediaType;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

describe("the form of an answer", () => {
  test.each<[string, string | undefined, string | number]>([
    ["without Accept is JSON", undefined, JSON_TYPE],
    ["with an empty Accept is JSON", "", JSON_TYPE],
    ["is JSON where everything is taken", "*/*", JSON_TYPE],
    ["is JSON where every application type is taken", "application/*", JSON_TYPE],
    ["is YAML on request", YAML_TYPE, YAML_TYPE],
    ["is protobuf on request", PROTOBUF, PROTOBUF],
    ["is refused where only others are taken", "text/html", 406],
    ["is refused for a wildcard of another type", "text/*", 406],
    ["is the first of those that weigh the same", `${YAML_TYPE},${JSON_TYPE}`, YAML_TYPE],
    ["is the one that weighs most", `${JSON_TYPE};q=0.1, ${YAML_TYPE};q=0.9`, YAML_TYPE],
    ["weighs one unless said", `${JSON_TYPE};q=0.9,${YAML_TYPE}`, YAML_TYPE],
    ["weighs 0 where the weight is no number", `${JSON_TYPE};q=x, ${YAML_TYPE};q=0.1`, YAML_TYPE],
    ["takes an exact type before a wildcard", `*/*, ${YAML_TYPE}`, YAML_TYPE],
    ["skips what is not known", `text/html, ${YAML_TYPE}`, YAML_TYPE],
    ["ignores the charset", `${JSON_TYPE};charset=utf-8`, JSON_TYPE],
    ["is a Table", `${JSON_TYPE};${TABLE}`, `${JSON_TYPE} as Table/v1`],
    [
      "is a Table of v1beta1",
      `${JSON_TYPE};as=Table;v=v1beta1;g=meta.k8s.io`,
      `${JSON_TYPE} as Table/v1beta1`,
    ],
    [
      "is metadata",
      `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
      `${PROTOBUF} as PartialObjectMetadata/v1`,
    ],
    ["is never a Table in protobuf", `${PROTOBUF};${TABLE}`, 406],
    ["falls back as kubectl asks for it", `${JSON_TYPE};as=Table;v=v2;g=meta.k8s.io,${JSON_TYPE}`, JSON_TYPE],
    ["is refused for a Table of another version", `${JSON_TYPE};as=Table;v=v2;g=meta.k8s.io`, 406],
    ["is refused for a Table of another group", `${JSON_TYPE};as=Table;v=v1;g=x`, 406],
    ["is refused for another kind", `${JSON_TYPE};as=Pod;v=v1;g=meta.k8s.io`, 406],
  ])("%s", (_rule, accept, form) => {
    expect(negotiated(accept)).toBe(form);
  });

  test("skips protobuf where the kind has no message", () => {
    expect(negotiated(`${PROTOBUF},${JSON_TYPE}`, false)).toBe(JSON_TYPE);
    expect(negotiated(PROTOBUF, false)).toBe(406);
  });

  test.each<[string, string, string | number]>([
    ["takes a lone star for everything", "*", JSON_TYPE],
    ["is refused where a group is named and no kind", `${JSON_TYPE};g=meta.k8s.io;v=v1`, 406],
    ["is refused for a stream that is no watch", `${JSON_TYPE};stream=other`, 406],
  ])("%s", (_rule, accept, form) => {
    expect(negotiated(accept)).toBe(form);
  });
});

test("a refusal names the forms there are", () => {
  expect(() => negotiateAnswer("text/html", () => true)).toThrow(
    `only the following media types are accepted: ${JSON_TYPE}, ${YAML_TYPE}, ${PROTOBUF}`,
  );
});

describe("the form of a failure", () => {
  test.each([
    ["is what was asked for", YAML_TYPE, YAML_TYPE],
    ["is JSON where that cannot be", "text/html", JSON_TYPE],
    ["is JSON without Accept", undefined, JSON_TYPE],
    ["is never transformed", `${PROTOBUF};${TABLE}`, JSON_TYPE],
    ["passes over a transformed form", `${JSON_TYPE};${TABLE},${YAML_TYPE}`, YAML_TYPE],
  ])("%s", (_rule, accept, form) => {
    expect(negotiateError(accept).mediaType).toBe(form);
  });
});

test("clauses come with their weight and parameters", () => {
  expect(parseAccept('application/json;as="Table";q=0.5;x, text/*')).toEqual([
    { type: "text", subtype: "*", quality: 1, params: new Map() },
    { type: "application", subtype: "json", quality: 0.5, params: new Map([["as", "Table"]]) },
  ]);
});

describe("the form of a body", () => {
  test.each([
    ["is JSON unless said", undefined, "json"],
    ["is JSON for an empty type", "", "json"],
    ["is JSON", "application/json; charset=utf-8", "json"],
    ["is YAML", "application/yaml", "yaml"],
    ["is protobuf", PROTOBUF, "protobuf"],
    ["does not depend on the case of letters", "Application/JSON", "json"],
  ])("%s", (_rule, contentType, format) => {
    expect(bodyFormat(contentType)).toBe(format);
  });

  test.each(["text/plain", "application/x-yaml", "json", "application/merge-patch+json"])(
    "%s is refused",
    (type) => {
      expect(() => bodyFormat(type)).toThrow(
        `the body of the request was in an unknown format - accepted media types include: ${JSON_TYPE}, ${YAML_TYPE}, ${PROTOBUF}`,
      );
    },
  );
});
