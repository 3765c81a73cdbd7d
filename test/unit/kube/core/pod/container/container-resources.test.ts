import { describe, expect, it } from "vitest";
import { validateResources } from "../../../../../../src/kube/core/amounts.ts";
import { lines } from "../../../passage.ts";

type Amounts = Record<string, string>;
const refusals = (requests: Amounts, limits: Amounts = {}) =>
  lines(validateResources("r", { requests, limits }));

describe("the resources of a container", () => {
  it.each<[string, Amounts, Amounts, string[]]>([
    ["of the system need no limit", { cpu: "1" }, {}, []],
    [
      "that cannot be promised twice need one",
      { "example.com/gpu": "1" },
      {},
      ["r.limits: Required value: Limit must be set for non overcommitable resources"],
    ],
    [
      "that cannot be promised twice are asked for as they are limited",
      { "example.com/gpu": "1" },
      { "example.com/gpu": "2" },
      ['r.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2'],
    ],
    [
      "come in wholes where there are no parts, and are not less than none",
      {},
      { "example.com/gpu": "-1500m" },
      [
        'r.limits[example.com/gpu]: Invalid value: "-1500m": must be greater than or equal to 0',
        'r.limits[example.com/gpu]: Invalid value: "-1500m": must be an integer',
      ],
    ],
    [
      "are whole pages",
      { cpu: "1", "hugepages-2Mi": "3Mi" },
      { "hugepages-2Mi": "3Mi" },
      [
        'r.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'r.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      ],
    ],
    [
      "are pages of some size",
      {},
      { memory: "1", "hugepages-big": "2Mi" },
      [
        'r.limits[hugepages-big]: Invalid value: "2Mi": 2Mi is not positive integer multiple of hugepages-big',
      ],
    ],
    [
      "are not pages alone",
      { "hugepages-2Mi": "4Mi" },
      { "hugepages-2Mi": "4Mi" },
      ["r: Forbidden: HugePages require cpu or memory"],
    ],
  ])("%s", (_name, requests, limits, errors) => {
    expect(refusals(requests, limits)).toEqual(errors);
  });
});
