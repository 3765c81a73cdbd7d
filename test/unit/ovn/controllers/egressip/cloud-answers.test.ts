// The effect of a CloudPrivateIPConfig change, and what is remembered of it until it can be written.

import { describe, expect, test } from "vitest";
import { readCloudPrivateIpConfig } from "../../../../../src/ovn/assignment/cloud-request.ts";
import {
  type Answer,
  answersTo,
  applyAnswers,
  CloudAnswers,
  Leavers,
} from "../../../../../src/ovn/controllers/egressip/cloud-requests.ts";
import { assigned, IP1, IP2, OWNER } from "./cloud-cluster.ts";

const config = (
  node: string,
  status?: { node: string; conditions: readonly ReturnType<typeof assigned>[] },
  { owner = "e", name = IP1 }: { owner?: string | null; name?: string } = {},
) =>
  readCloudPrivateIpConfig({
    metadata: { name, ...(owner === null ? {} : { annotations: { [OWNER]: owner } }) },
    spec: { node },
    ...(status === undefined ? {} : { status }),
  });
const said = (node: string, condition: Parameters<typeof assigned>[0]) => ({
  node,
  conditions: [assigned(condition)],
});
const answer = (type: Answer["type"], node: string, egressIP = IP1): Answer => ({
  type,
  egressIp: "e",
  item: { egressIP, node },
});

const asked = config("n1");
const granted = config("n1", said("n1", "True"));
const nobodys = config("n1", said("n1", "True"), { owner: null });

describe("a change", () => {
  test.each<[string, Parameters<typeof answersTo>, readonly Answer[]]>([
    ["of nothing", [undefined, undefined], []],
    ["that asks", [undefined, asked], []],
    ["that leaves the status", [granted, config("n2", said("n1", "True"))], []],
    ["that grants", [asked, granted], [answer("granted", "n1")]],
    ["that is there granted already", [undefined, granted], [answer("granted", "n1")]],
    ["that grants another node", [asked, config("n1", said("n2", "True"))], []],
    ["that is not done", [asked, config("n1", said("n1", "Unknown"))], []],
    ["that failed", [asked, config("n1", said("n1", "False"))], []],
    ["that says that it is done on no node", [config(""), config("", said("", "True"))], []],
    ["that takes back", [granted, config("n1", said("", "True"))], [answer("released", "n1")]],
    ["that is taking back", [granted, config("n1", said("", "Unknown"))], []],
    [
      "that moves",
      [granted, config("n2", said("n2", "True"))],
      [answer("released", "n1"), answer("granted", "n2")],
    ],
    ["that moves later", [granted, config("n2", said("n2", "Unknown"))], []],
    ["that removes what was granted", [granted, undefined], [answer("released", "n1")]],
    [
      "that removes what was said to be elsewhere",
      [config("n2", said("n1", "True")), undefined],
      [answer("released", "n2")],
    ],
    ["that removes what the cloud never spoke of", [asked, undefined], []],
    ["that grants what is nobody's", [config("n1", undefined, { owner: null }), nobodys], []],
    ["that takes back what is nobody's", [nobodys, config("n1", said("", "True"))], []],
    ["that removes what is nobody's", [nobodys, undefined], []],
    [
      "of an object that names no address",
      [undefined, config("n1", said("n1", "True"), { name: "x" })],
      [answer("granted", "n1", "")],
    ],
  ])("%s", (_, change, answers) => {
    expect(answersTo(...change)).toEqual(answers);
  });
});

test("what is given back goes, what is granted comes last, and only once", () => {
  const items = [
    { egressIP: IP1, node: "n1" },
    { egressIP: IP2, node: "n2" },
  ];
  const after = applyAnswers(items, [
    answer("released", "n1"),
    answer("granted", "n3"),
    answer("granted", "n3"),
  ]);
  expect(after).toEqual([items[1], { egressIP: IP1, node: "n3" }]);
  const others = [answer("released", "n2"), answer("released", "n1", IP2), answer("granted", "n2", IP2)];
  expect(applyAnswers(items, others)).toEqual(items);
});

describe("answers that wait", () => {
  test("are taken once, in their order, a later one about the same item instead of an earlier one", () => {
    const answers = new CloudAnswers();
    const [first, second] = [answer("granted", "n1"), answer("granted", "n2", IP2)];
    for (const one of [first, second, answer("released", "n1")]) answers.note(one);
    answers.note({ ...first, egressIp: "f" });
    expect(answers.take("e")).toEqual([second, answer("released", "n1")]);
    expect([answers.take("e"), answers.take("f")]).toEqual([[], [{ ...first, egressIp: "f" }]]);
  });

  test("and could not be written come before what came since, unless that says otherwise", () => {
    const answers = new CloudAnswers();
    answers.note(answer("released", "n1"));
    answers.note(answer("granted", "n3", IP2));
    answers.putBack("e", [answer("granted", "n1"), answer("granted", "n2")]);
    expect(answers.take("e")).toEqual([
      answer("granted", "n2"),
      answer("released", "n1"),
      answer("granted", "n3", IP2),
    ]);
  });

  test("for one that is gone are only its grants", () => {
    const answers = new CloudAnswers();
    for (const one of [answer("released", "n1"), answer("granted", "n2", IP2)]) answers.note(one);
    answers.forgetReleases("e");
    expect(answers.take("e")).toEqual([answer("granted", "n2", IP2)]);
  });
});

test("what leaves was asked for once it was said to be, and stands in the way of others until it is done", () => {
  const leavers = new Leavers();
  leavers.add("e", IP1, "asked");
  leavers.add("e", IP1, "maybe");
  leavers.add("e", IP2, "maybe");
  expect(leavers.of("e")).toEqual([
    [IP1, "asked"],
    [IP2, "maybe"],
  ]);
  leavers.add("e", IP2, "asked");
  expect(leavers.of("e").at(-1)).toEqual([IP2, "asked"]);
  leavers.add("f", IP1, "maybe");
  const inTheWay = (address: string) => ["e", "f", "g"].map((name) => leavers.hasOther(address, name));
  expect([inTheWay(IP1), inTheWay(IP2)]).toEqual([
    [true, true, true],
    [false, true, true],
  ]);
  leavers.done("e", IP1);
  expect([inTheWay(IP1), leavers.of("e"), leavers.of("f")]).toEqual([
    [true, false, true],
    [[IP2, "asked"]],
    [[IP1, "maybe"]],
  ]);
});
