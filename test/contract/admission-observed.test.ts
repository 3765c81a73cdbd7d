// What a server reports about its admission webhooks: metrics, log lines, and the recorded calls.
import request from "supertest";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/apimachinery/json/json.ts";
import { observeAdmission } from "../../src/server/admission-observers.ts";
import { createServer, type Server } from "../../src/server/server.ts";
import { WebhookServer } from "../unit/apiserver/apiextensions/webhook-server.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";

const NOBODY = "https://127.0.0.1:1/nobody";

let server: Server;
let webhook: WebhookServer;

beforeAll(async () => {
  const quiet = { inMemory: true, kubeconfig: undefined, controllers: "", logLevel: "silent" };
  server = await createServer({ listen: "127.0.0.1:0", ...quiet });
});
afterAll(() => server?.close());
beforeEach(async () => {
  webhook = await WebhookServer.open();
});
afterEach(async () => {
  for (const kind of ["mutating", "validating"])
    await request(server.url).delete(`${GROUP}/${kind}webhookconfigurations`);
  await request(server.url).delete(MAPS);
  await webhook[Symbol.asyncDispose]();
  server.control.webhookCalls.clear();
});

async function install(
  kind: "mutating" | "validating",
  name: string,
  change: JsonObject = {},
): Promise<void> {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
  const hook = {
    ...{ name, rules: [rule], sideEffects: "None", admissionReviewVersions: ["v1"] },
    clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
    ...change,
  };
  await request(server.url)
    .post(`${GROUP}/${kind}webhookconfigurations`)
    .send({ metadata: { name: "observed" }, webhooks: [hook] })
    .expect(201);
}

function respond(response: JsonObject): void {
  webhook.answer = ({ request: { uid } }) => ({
    body: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, ...response } },
  });
}

const create = (query = "") =>
  request(server.url)
    .post(MAPS + query)
    .send({ metadata: { name: "cm" }, data: { x: "1" } });

/** The values of the metric by their labels, as text. */
async function figuresOf(name: string, webhookName: string): Promise<Record<string, number>> {
  const { text } = await request(server.url).get("/metrics");
  const rows = text.split("\n").filter((line) => line.startsWith(`${name}{`) && line.includes(webhookName));
  return Object.fromEntries(
    rows.map((line) => [
      line.slice(name.length + 1, line.lastIndexOf("}")),
      Number(line.slice(line.lastIndexOf(" "))),
    ]),
  );
}

const PREFIX = "apiserver_admission_webhook_";

describe("metrics", () => {
  test("of a webhook that allows", async () => {
    await install("mutating", "allows.example.com");
    respond({ allowed: true });
    await create("?dryRun=All").expect(201);
    await create().expect(201);
    const about = 'name="allows.example.com",type="admit",operation="CREATE"';
    expect(await figuresOf(`${PREFIX}request_total`, "allows")).toEqual({
      [`${about},code="200",rejected="false"`]: 2,
    });
    expect(await figuresOf(`${PREFIX}admission_duration_seconds_count`, "allows")).toEqual({
      [`${about},rejected="false"`]: 2,
    });
    expect(Object.keys(await figuresOf(`${PREFIX}admission_duration_seconds_bucket`, "allows"))).toHaveLength(
      9,
    );
    expect(await figuresOf(`${PREFIX}rejection_count`, "allows")).toEqual({});
  });

  test("of a webhook that denies, with a code that is too large", async () => {
    await install("validating", "denies.example.com");
    respond({ allowed: false, status: { code: 403 } });
    await create().expect(403);
    const about = 'name="denies.example.com",type="validating",operation="CREATE"';
    expect(await figuresOf(`${PREFIX}rejection_count`, "denies")).toEqual({
      [`${about},error_type="no_error",rejection_code="403"`]: 1,
    });
    expect(await figuresOf(`${PREFIX}request_total`, "denies")).toEqual({
      [`${about},code="403",rejected="true"`]: 1,
    });
  });

  test("of a webhook that fails closed", async () => {
    await install("mutating", "closed.example.com", { clientConfig: { url: NOBODY } });
    await create().expect(500);
    const about = 'name="closed.example.com",type="admit",operation="CREATE"';
    expect(await figuresOf(`${PREFIX}rejection_count`, "closed")).toEqual({
      [`${about},error_type="calling_webhook_error",rejection_code="503"`]: 1,
    });
    expect(await figuresOf(`${PREFIX}fail_open_count`, "closed")).toEqual({});
  });

  test("of a webhook that fails open", async () => {
    const change = { failurePolicy: "Ignore", clientConfig: { url: NOBODY } };
    await install("validating", "open.example.com", change);
    await create().expect(201);
    const about = 'name="open.example.com",type="validating"';
    expect(await figuresOf(`${PREFIX}fail_open_count`, "open.")).toEqual({ [about]: 1 });
    expect(await figuresOf(`${PREFIX}request_total`, "open.")).toEqual({
      [`${about},operation="CREATE",code="503",rejected="false"`]: 1,
    });
    expect(await figuresOf(`${PREFIX}rejection_count`, "open.")).toEqual({});
  });

  test("of a webhook whose patch cannot be applied", async () => {
    await install("mutating", "broken.example.com");
    const patch = Buffer.from('[{"op":"remove","path":"/missing"}]').toString("base64");
    respond({ allowed: true, patchType: "JSONPatch", patch });
    await create().expect(500);
    const about = 'name="broken.example.com",type="admit",operation="CREATE"';
    expect(await figuresOf(`${PREFIX}rejection_count`, "broken")).toEqual({
      [`${about},error_type="apiserver_internal_error",rejection_code="0"`]: 1,
    });
    expect(server.control.webhookCalls.entries()).toMatchObject([{ verdict: "error", changes: [] }]);
  });

  test("of the steps of admission", async () => {
    const name = "apiserver_admission_step_admission_duration_seconds_count";
    const before = await figuresOf(name, "CREATE");
    await create().expect(201);
    const after = await figuresOf(name, "CREATE");
    for (const step of ["admit", "validate"]) {
      const labels = `type="${step}",operation="CREATE",rejected="false"`;
      expect(after[labels]).toBe((before[labels] ?? 0) + 1);
    }
  });
});

test("metrics of a ValidatingAdmissionPolicy: what is enforced, and what failurePolicy ignores", async () => {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
  const install = async (name: string, spec: JsonObject, validationActions: string[]) => {
    const policy = { ...spec, matchConstraints: { resourceRules: [rule] } };
    await request(server.url)
      .post(`${GROUP}/validatingadmissionpolicies`)
      .send({ metadata: { name }, spec: policy })
      .expect(201);
    await request(server.url)
      .post(`${GROUP}/validatingadmissionpolicybindings`)
      .send({ metadata: { name: "bound" }, spec: { policyName: name, validationActions } })
      .expect(201);
  };
  const remove = async () => {
    for (const kind of ["policybindings", "policies"])
      await request(server.url).delete(`${GROUP}/validatingadmission${kind}`);
  };
  const name = "apiserver_validating_admission_policy_check_total";
  const labels = (policy: string, type: string, action: string) =>
    `policy="${policy}",policy_binding="bound",error_type="${type}",enforcement_action="${action}"`;
  await install("refuses", { validations: [{ expression: "object.data.x == '2'" }] }, ["Deny", "Audit"]);
  await create().expect(422);
  expect(await figuresOf(name, "refuses")).toEqual({
    [labels("refuses", "invalid_error", "deny")]: 1,
    [labels("refuses", "invalid_error", "audit")]: 1,
  });
  expect(
    Object.keys(
      await figuresOf("apiserver_validating_admission_policy_check_duration_seconds_count", "refuses"),
    ),
  ).toHaveLength(2);
  await remove();
  const broken = { failurePolicy: "Ignore", validations: [{ expression: "object.data.missing == '2'" }] };
  await install("ignores", broken, ["Deny"]);
  await create().expect(201);
  expect(await figuresOf(name, "ignores")).toEqual({ [labels("ignores", "invalid_error", "allow")]: 1 });
  await remove();
});

test("the log has failures at warn and denials at info, in the words of a real server", () => {
  const lines: string[] = [];
  const write = (level: string) => (_fields: unknown, message: string) => lines.push(`${level}: ${message}`);
  const { observer } = observeAdmission({ info: write("info"), warn: write("warn"), error: write("error") });
  const attributes = {
    ...{ operation: "CREATE", namespace: "", name: "", subresource: "" },
    ...{ view: { definition: { group: "", resource: "pods" }, version: { name: "v1" } } },
    context: { dryRun: false, user: { name: "jane" } },
  };
  const call = {
    webhook: "m.x",
    review: undefined,
    patch: [],
    warnings: [],
    url: "",
    startedMs: 0,
    attributes,
  };
  const tell = (verdict: string, message: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: only what observers read of a call
    observer.webhookCalled({ ...call, verdict, message, code: 0, durationMs: 1 } as any);
  tell("allowed", "");
  tell("failed-open", 'failed calling webhook "m.x": EOF');
  tell("failed-closed", 'failed calling webhook "m.x": EOF');
  tell("denied", "no");
  expect(lines).toEqual([
    'warn: Failed calling webhook, failing open m.x: failed calling webhook "m.x": EOF',
    'warn: Failed calling webhook, failing closed m.x: failed calling webhook "m.x": EOF',
    'info: rejected by webhook "m.x": no',
  ]);
});

test("what a plan would do is not counted", async () => {
  const name = "apiserver_admission_step_admission_duration_seconds_count";
  const before = await figuresOf(name, "DELETE");
  await create().expect(201);
  await request(server.url)
    .post("/egret/v1/plan")
    .send({ changes: [{ delete: "configmap/default/cm" }] })
    .expect(200);
  expect(await figuresOf(name, "DELETE")).toEqual(before);
});

test("a call is kept with its review and what its patch has changed", async () => {
  await install("mutating", "patches.example.com");
  const patch = Buffer.from('[{"op":"add","path":"/data/y","value":"2"}]').toString("base64");
  respond({ allowed: true, patchType: "JSONPatch", patch, warnings: ["careful"] });
  await create().expect(201);
  const { body } = await request(server.url).get("/egret/v1/requests/webhooks?reviews=true").expect(200);
  expect(body.items).toMatchObject([
    {
      ...{ webhook: "patches.example.com", configuration: "observed", type: "mutating", verdict: "allowed" },
      ...{ operation: "CREATE", resource: "configmaps", namespace: "default", name: "cm", code: 200 },
      ...{ url: `${webhook.url}?timeout=10s`, user: "system:admin", warnings: ["careful"] },
      changes: [{ path: "data.y", after: "2" }],
      review: webhook.reviews[0],
    },
  ]);
});
