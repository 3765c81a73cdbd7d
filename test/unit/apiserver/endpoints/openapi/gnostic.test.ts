import { describe, expect, test } from "vitest";
import { encodeOpenApiV2, encodeOpenApiV3 } from "../../../../../src/apiserver/endpoints/openapi/gnostic.ts";

type Field = { readonly number: number; readonly bytes: Buffer };

/** The length-delimited fields of a message, in order; others are skipped. */
function fieldsOf(bytes: Buffer): Field[] {
  const out: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) === 0) varint();
    else if ((tag & 7) === 1) at += 8;
    else {
      const length = varint();
      out.push({ number: tag >> 3, bytes: bytes.subarray(at, at + length) });
      at += length;
    }
  }
  return out;
}

/** Follows field numbers down; of repeated fields the first is taken. */
function dig(bytes: Buffer, ...numbers: number[]): Buffer {
  let current = bytes;
  for (const number of numbers) {
    const field = fieldsOf(current).find((candidate) => candidate.number === number);
    if (field === undefined) throw new Error(`no field ${number}`);
    current = field.bytes;
  }
  return current;
}

const kinds = [{ group: "g", kind: "K", version: "v1" }];
const schema = {
  description: "d",
  type: "object",
  required: ["a"],
  properties: { a: { type: "array", items: { type: "string" }, maxItems: 300, minimum: -1.5 } },
  "x-kubernetes-group-version-kind": kinds,
};
const operation = { operationId: "readK", tags: ["t"], responses: { 200: { description: "OK" } } };

describe("protobuf of OpenAPI 3.0", async () => {
  const bytes = await encodeOpenApiV3({
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths: { "/a": { get: operation, parameters: [{ name: "p", in: "query", schema: { type: "string" } }] } },
    components: { schemas: { "a.K": schema, "a.L": { allOf: [{ $ref: "#/components/schemas/a.K" }] } } },
  });

  test.each<[what: string, path: number[], text: string]>([
    ["version of the form", [1], "3.0.0"],
    ["title", [2, 1], "Kubernetes"],
    ["version", [2, 6], "1.36"],
    ["first path", [4, 1, 1], "/a"],
    ["operation id", [4, 1, 2, 4, 5], "readK"],
    ["first answer's code", [4, 1, 2, 4, 8, 2, 1], "200"],
    ["first answer's description", [4, 1, 2, 4, 8, 2, 2, 1, 1], "OK"],
    ["parameter of the path", [4, 1, 2, 13, 1, 1], "p"],
    ["first schema's name", [5, 1, 1, 1], "a.K"],
    ["its type", [5, 1, 1, 2, 1, 25], "object"],
    ["its first property", [5, 1, 1, 2, 1, 31, 1, 1], "a"],
    ["its extension's name", [5, 1, 1, 2, 1, 36, 1], "x-kubernetes-group-version-kind"],
    ["its extension's value", [5, 1, 1, 2, 1, 36, 2, 2], `${JSON.stringify(kinds)}\n`],
  ])("%s", (_what, path, text) => {
    expect(dig(bytes, ...path).toString()).toBe(text);
  });

  test("a reference takes the place of a schema", () => {
    const second = fieldsOf(dig(bytes, 5, 1))[1];
    expect(dig(second?.bytes ?? Buffer.alloc(0), 2, 1, 26, 2, 1).toString()).toBe("#/components/schemas/a.K");
  });
});

test.each([0, 1, 123, 124, 125, 126, 127, 128, 129, 16_379, 16_383, 16_384, 65_536, 2_097_151, 2_097_152])(
  "a message says how long it is: a text of %d letters, two and six levels down",
  async (length) => {
    const description = "x".repeat(length);
    const answered = { ...operation, responses: { 200: { description } } };
    const bytes = await encodeOpenApiV3({
      info: { title: description, version: "ü behind" },
      paths: { "/a": { get: answered }, "/b": { get: operation } },
    });
    expect(fieldsOf(dig(bytes, 2)).map(({ bytes }) => bytes.length)).toEqual(length > 0 ? [length, 9] : [9]);
    expect(dig(bytes, 2, 6).toString()).toBe("ü behind");
    const [first, second] = fieldsOf(dig(bytes, 4));
    const answer = dig(first?.bytes ?? bytes, 2, 4, 8, 2, 2, 1);
    expect(fieldsOf(answer).map(({ bytes }) => bytes.length)).toEqual(length > 0 ? [length] : []);
    expect(dig(second?.bytes ?? bytes, 1).toString()).toBe("/b");
  },
);

describe("protobuf of Swagger 2.0", async () => {
  const bytes = await encodeOpenApiV2({
    swagger: "2.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths: {
      "/a": {
        put: {
          ...operation,
          parameters: [
            { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/a.K" } },
            { $ref: "#/parameters/p-1" },
          ],
        },
        parameters: [{ name: "name", in: "path", required: true, type: "string" }],
      },
    },
    definitions: { "a.K": schema },
    parameters: { "p-1": { name: "p", in: "query", type: "string" } },
    security: [{ BearerToken: [] }],
    securityDefinitions: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
  });

  test.each<[what: string, path: number[], text: string]>([
    ["version of the form", [1], "2.0"],
    ["version", [2, 2], "1.36"],
    ["first path", [8, 2, 1], "/a"],
    ["operation id", [8, 2, 2, 3, 5], "readK"],
    ["body", [8, 2, 2, 3, 8, 1, 1, 2], "body"],
    ["schema of the body", [8, 2, 2, 3, 8, 1, 1, 5, 1], "#/definitions/a.K"],
    ["parameter in the path", [8, 2, 2, 9, 1, 2, 4, 4], "name"],
    ["first answer's description", [8, 2, 2, 3, 9, 1, 2, 1, 1], "OK"],
    ["first definition's name", [9, 1, 1], "a.K"],
    ["its type", [9, 1, 2, 22, 1], "object"],
    ["its first property's items", [9, 1, 2, 25, 1, 2, 23, 1, 22, 1], "string"],
    ["its extension's value", [9, 1, 2, 31, 2, 2], `${JSON.stringify(kinds)}\n`],
    ["shared parameter", [10, 1, 2, 2, 3, 4], "p"],
    ["required security", [12, 1, 1], "BearerToken"],
    ["security definition", [13, 1, 2, 2, 1], "apiKey"],
  ])("%s", (_what, path, text) => {
    expect(dig(bytes, ...path).toString()).toBe(text);
  });

  test("numbers keep their size and sign", () => {
    const property = dig(bytes, 9, 1, 2, 25, 1, 2);
    expect(property.includes(Buffer.from([14 << 3, 0xac, 0x02]))).toBe(true); // maxItems 300 as a varint
    const double = Buffer.alloc(8);
    double.writeDoubleLE(-1.5);
    expect(property.includes(Buffer.concat([Buffer.from([(9 << 3) | 1]), double]))).toBe(true);
  });
});
