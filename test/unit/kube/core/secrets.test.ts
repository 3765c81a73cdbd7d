import { describe, expect, it } from "vitest";
import { create, definitionOf, lines } from "../passage.ts";

const SECRETS = definitionOf("Secret");
const made = (type: string, stringData: Record<string, string>) =>
  create(SECRETS, { metadata: { name: "s" }, type: `kubernetes.io/${type}`, stringData });

describe("the registries of a Secret", () => {
  const refusals = (text: string) =>
    lines(made("dockerconfigjson", { ".dockerconfigjson": text }).errors).map((line) =>
      line.replace('data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ', ""),
    );

  it.each<[string, string[]]>([
    ['{"auths":{}}', []],
    ["null", []],
    ["", ["unexpected end of JSON input"]],
    ["{bad", ["invalid character 'b' looking for beginning of object key string"]],
    ["[]", ["json: cannot unmarshal array into Go value of type map[string]interface {}"]],
    ['"a"', ["json: cannot unmarshal string into Go value of type map[string]interface {}"]],
    ["1", ["json: cannot unmarshal number into Go value of type map[string]interface {}"]],
    ["true", ["json: cannot unmarshal bool into Go value of type map[string]interface {}"]],
  ])("are an object: %s", (text, errors) => {
    expect(refusals(text)).toEqual(errors);
  });

  it("are an object in the older form too", () => {
    expect(lines(made("dockercfg", { ".dockercfg": "[" }).errors)).toEqual([
      'data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input',
    ]);
  });
});

describe("a Secret that cannot serve TLS", () => {
  const warnings = (type: string) =>
    SECRETS.strategy.warnings?.(made(type, { "tls.crt": "x", "tls.key": "y" }).object, undefined);

  it("is kept with a warning", () => {
    expect(warnings("tls")).toEqual(["tls: failed to find any PEM data in certificate input"]);
  });

  it("need not serve it when it is of another type", () => {
    expect(warnings("other")).toEqual([]);
  });
});
