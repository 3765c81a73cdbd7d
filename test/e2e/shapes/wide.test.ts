// Bodies of nearly 3 MB: lists and maps with tens of thousands of items. Each answer equals a kube-apiserver's, and no
// request computes for long. The limits are about five times the usual cost; quadratic work takes minutes.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CONFIG_MAPS,
  configMapText,
  FORMS,
  listText,
  mapText,
  ODDS,
  oddText,
  PATCH_TYPES,
  PODS,
  type Question,
  ShapesServer,
} from "./shapes-server.ts";

let server: ShapesServer;
beforeAll(async () => {
  server = await ShapesServer.start();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const CPU_MS_MAX = 15_000;

const ask = (question: Question) => server.askWithin(CPU_MS_MAX, question);

const COUNT = 40_000;
const MANY = 200_000;
const post = (path: string, body: string): Question => ({ method: "POST", path, body });
const metadata = (member: string, value: string): string =>
  configMapText("m", "{}", "", `,"${member}":${value}`);
const pod = (name: string, ofContainer = "", ofSpec = ""): string =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},"spec":{${ofSpec}"containers":[{"name":"c","image":"i"${ofContainer}}]}}`;

const refused: readonly [what: string, status: number, question: Question][] = [
  ["wrongly typed items", 422, post(ODDS, oddText("a", `{"integers":${listText(MANY, () => '"x"')}}`))],
  ["wrongly typed texts", 422, post(ODDS, oddText("a", `{"strings":${listText(MANY, () => "1")}}`))],
  ["wrongly typed members", 422, post(ODDS, oddText("a", `{"map":${mapText(150_000, (i) => `"k${i}":1`)}}`))],
  ["items without their key", 422, post(ODDS, oddText("a", `{"items":${listText(MANY, () => "{}")}}`))],
  ["items of one key", 422, post(ODDS, oddText("a", `{"items":${listText(COUNT, () => '{"name":"n"}')}}`))],
  ["the same in a set", 422, post(ODDS, oddText("a", `{"set":${listText(MANY, (i) => `"x${i >> 1}"`)}}`))],
  [
    "unknown members",
    400,
    post(
      `${ODDS}?fieldValidation=Strict`,
      oddText(
        "a",
        mapText(150_000, (i) => `"k${i}":1`),
      ),
    ),
  ],
  [
    "bad labels",
    422,
    post(
      CONFIG_MAPS,
      metadata(
        "labels",
        mapText(100_000, (i) => `"k ${i}":"v v"`),
      ),
    ),
  ],
  [
    "bad annotations",
    422,
    post(
      CONFIG_MAPS,
      metadata(
        "annotations",
        mapText(100_000, (i) => `"k ${i}":""`),
      ),
    ),
  ],
  [
    "bad finalizers",
    422,
    post(
      CONFIG_MAPS,
      metadata(
        "finalizers",
        listText(100_000, (i) => `"k ${i}"`),
      ),
    ),
  ],
  [
    "bad keys of data",
    422,
    post(
      CONFIG_MAPS,
      configMapText(
        "a",
        mapText(100_000, (i) => `"k ${i}":"v"`),
      ),
    ),
  ],
  [
    "containers of one name",
    422,
    post(
      PODS,
      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":${listText(50_000, () => '{"name":"c","image":"i"}')}}}`,
    ),
  ],
  [
    "spread constraints of one kind",
    422,
    post(
      PODS,
      pod(
        "p",
        "",
        `"topologySpreadConstraints":${listText(30_000, () => '{"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule"}')},`,
      ),
    ),
  ],
];

describe("a great many faults", () => {
  test.each(refused)("%s: %i", async (_what, status, question) => {
    expect((await ask(question)).status).toBe(status);
  });
});

describe("a long name that comes again in all that is said of what is below it", () => {
  const NAME = "k".repeat(100_000);
  const ANSWER_CHARS_MAX = 20_000_000;
  const below = (member: string, value: string) => `{"${member}":{"${NAME}":${value}}}`;
  const askFor = async (question: Question): Promise<{ status: number; text: string }> => {
    const answer = await ask(question);
    expect(answer.text.length).toBeLessThan(ANSWER_CHARS_MAX);
    return answer;
  };

  test("wrongly typed items", async () => {
    const spec = below(
      "lists",
      listText(20_000, () => '"x"'),
    );
    const { status, text } = await askFor(post(ODDS, oddText("l", spec)));
    expect(status).toBe(422);
    expect(text).toContain(", and more]");
  });

  test("unknown members", async () => {
    const spec = below(
      "objects",
      mapText(20_000, (i) => `"u${i}":1`),
    );
    const strict = await askFor(post(`${ODDS}?fieldValidation=Strict`, oddText("o", spec)));
    expect(strict.status).toBe(400);
    expect((await askFor(post(ODDS, oddText("o", spec)))).status).toBe(201);
  });

  test("conflicts", async () => {
    const apply = (manager: string, value: number): Question => ({
      method: "PATCH",
      path: `${ODDS}/c?fieldManager=${manager}`,
      body: oddText(
        "c",
        below(
          "free",
          mapText(10_000, (i) => `"m${i}":${value}`),
        ),
      ),
      type: PATCH_TYPES.apply,
    });
    expect((await askFor(apply("a", 1))).status).toBe(201);
    const { status, text } = await askFor(apply("b", 2));
    expect(status).toBe(409);
    expect(text).toContain("Apply failed with 10000 conflicts");
  });
});

describe("long lists", () => {
  const names = (from: number, to: number, more = "") =>
    listText(Math.abs(to - from), (i) => `{"name":"n${from < to ? from + i : from - 1 - i}"${more}}`);

  test("a table shows an object with 100,000 texts, and so do all other forms", async () => {
    const body = oddText("long", `{"strings":${listText(100_000, (i) => `"s${i}"`)}}`);
    expect((await ask(post(ODDS, body))).status).toBe(201);
    for (const accept of FORMS)
      expect((await ask({ method: "GET", path: `${ODDS}/long`, accept })).status, accept).toBe(200);
    expect((await ask({ method: "DELETE", path: `${ODDS}/long` })).status).toBe(200);
  });

  test("items are applied, reversed, disputed and given up", async () => {
    const path = `${ODDS}/items`;
    const apply = (items: string, manager: string): Question => ({
      method: "PATCH",
      path: `${path}?fieldManager=${manager}`,
      body: oddText("items", `{"items":${items}}`),
      type: PATCH_TYPES.apply,
    });
    expect((await ask(apply(names(0, 10_000), "a"))).status).toBe(201);
    expect((await ask(apply(names(10_000, 0), "a"))).status).toBe(200);
    expect((await ask(apply(names(0, 10_000, ',"value":"b"'), "b"))).status).toBe(200);
    expect((await ask(apply(names(0, 10_000, ',"value":"c"'), "c"))).status).toBe(409);
    expect((await ask(apply(names(0, 5_000), "a"))).status).toBe(200);
  });

  test("owners are reversed and deleted by a strategic merge", async () => {
    const COUNT_OF_OWNERS = 5_000;
    const owners = (member: (uid: string) => string) =>
      listText(COUNT_OF_OWNERS, (i) => member(`u${COUNT_OF_OWNERS - i}`));
    const whole = owners((uid) => `{"apiVersion":"v1","kind":"Pod","name":"p","uid":"${uid}"}`);
    const patch = (body: string): Question => ({
      method: "PATCH",
      path: `${CONFIG_MAPS}/m`,
      body: `{"metadata":${body}}`,
      type: PATCH_TYPES.strategic,
    });
    expect((await ask(post(CONFIG_MAPS, metadata("ownerReferences", whole)))).status).toBe(201);
    const order = owners((uid) => `{"uid":"${uid}"}`);
    const ordered = `{"$setElementOrder/ownerReferences":${order},"ownerReferences":${order}}`;
    expect((await ask(patch(ordered))).status).toBe(200);
    const deleted = `{"ownerReferences":${owners((uid) => `{"$patch":"delete","uid":"${uid}"}`)}}`;
    const { status, text } = await ask(patch(deleted));
    expect(status).toBe(200);
    expect(text).not.toContain('ownerReferences":[');
  });

  test.each([
    ["8,000", (i: number) => `{"name":"n${i}","value":"new"}`, 8_000],
    ["40,000 others", (i: number) => `{"name":"m${i}","value":"w${i}"}`, 40_000],
    ["170,000 that are the same", () => '{"name":"n"}', 170_000],
  ])("a pod's variables cannot become %s", async (_what, variable, count) => {
    const env = (of: string) => `,"env":${of}`;
    const first = listText(8_000, (i) => `{"name":"n${i}","value":"v${i}"}`);
    expect([201, 409]).toContain((await ask(post(PODS, pod("vars", env(first))))).status);
    const body = pod("vars", env(listText(count, variable)));
    const { status, text } = await ask({ method: "PUT", path: `${PODS}/vars`, body });
    expect(status).toBe(422);
    expect(text).toContain("pod updates may not change fields other than");
    expect(text).toContain("@@ -");
  });
});
