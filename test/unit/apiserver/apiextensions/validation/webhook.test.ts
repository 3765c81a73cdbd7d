import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { crdWith, found } from "./support.ts";

describe("conversion by a webhook", () => {
  const at = "spec.conversion.webhookClientConfig";
  const errors = (webhook: JsonObject | undefined, strategy = "Webhook"): string[] =>
    found(crdWith({ conversion: { strategy, ...(webhook ? { webhook } : {}) } }));
  const atUrl = (url: string): string[] =>
    errors({ clientConfig: { url }, conversionReviewVersions: ["v1"] });

  test.each<[string, string[], string[]]>([
    [
      "needs a webhook",
      errors(undefined),
      [
        `${at}: Required value: required when strategy is set to Webhook`,
        "spec.conversion.conversionReviewVersions: Required value",
      ],
    ],
    [
      "is at one place",
      errors({ clientConfig: {}, conversionReviewVersions: ["v1"] }),
      [`${at}: Required value: exactly one of url or service is required`],
    ],
    [
      "speaks a known form",
      errors({ clientConfig: { url: "https://h" }, conversionReviewVersions: ["v2"] }),
      [
        'spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      "is behind TLS",
      atUrl("http://h/x"),
      [
        `${at}.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ],
    [
      "is on a host",
      atUrl("https:///x"),
      [`${at}.url: Invalid value: "": host must be specified; desired format: https://host[/path]`],
    ],
    [
      "has a URL without anything else",
      atUrl("https://u@h/x?q#f"),
      [
        `${at}.url: Invalid value: "u": user information is not permitted in the URL`,
        `${at}.url: Invalid value: "f": fragments are not permitted in the URL`,
        `${at}.url: Invalid value: "q": query parameters are not permitted in the URL`,
      ],
    ],
    [
      "has a URL that is one",
      atUrl("https://h:x"),
      [
        `${at}.url: Required value: url must be a valid URL: parse "https://h:x": invalid port ":x" after host; desired format: https://host[/path]`,
      ],
    ],
    [
      "has a Service with a port and a path",
      errors({
        clientConfig: { service: { namespace: "n", name: "s", port: 0, path: "x/" } },
        conversionReviewVersions: ["v1"],
      }),
      [
        `${at}.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
        `${at}.service.path: Invalid value: "x/": must start with a '/'`,
        `${at}.service.path: Invalid value: "x/": segment[0] may not be empty`,
      ],
    ],
    [
      "is not described where none is used",
      errors({ conversionReviewVersions: ["v1"] }, "None"),
      [
        "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
      ],
    ],
    [
      "is one of two strategies",
      errors(undefined, "Other"),
      ['spec.conversion.strategy: Unsupported value: "Other": supported values: "None", "Webhook"'],
    ],
  ])("%s", (_rule, texts, expected) => {
    expect(texts).toEqual(expected);
  });
});
