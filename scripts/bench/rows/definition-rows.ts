// Many CustomResourceDefinitions with many versions: how soon a server that starts with them answers, and the cost of
// repeated discovery and OpenAPI requests.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { JSON_BODY } from "../client/egress-ips.ts";
import { fill } from "../client/fill.ts";
import { requestBytes, withConnections } from "../client/http-connection.ts";
import { askWell, type ServerAccess } from "../client/server-access.ts";
import { median } from "../measure.ts";
import { rssMegabytes } from "../memory.ts";
import { API_ALONE, start } from "../own-server.ts";
import type { Bench } from "../plan.ts";
import type { Row } from "../report/row.ts";
import { DEFINITIONS } from "../stalls/custom-kind.ts";
import { VERSIONS, versionedDefinition } from "../stalls/versioned-definition.ts";

const GROUP = "bench.example.com";
const AGAIN = 9;
const SERVED_STEP_MS = 10;
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export async function definitionRows({ plan, folder }: Bench): Promise<Row[]> {
  const count = plan.definitions;
  const dataDir = await mkdtemp(join(folder, "definitions-"));
  const { egret, access } = await start(dataDir, API_ALONE);
  {
    await using running = egret;
    await fill(access, count, (number) =>
      requestBytes("POST", DEFINITIONS, JSON_BODY, JSON.stringify(versionedDefinition(GROUP, number))),
    );
    await running.stop();
  }
  const { egret: again, access: reopened, ms } = await start(dataDir, API_ALONE);
  await using _running = again;
  const size = `${count} definitions with ${VERSIONS} versions each`;
  const asked = [
    await askedAgain(reopened, "discovery", "discovery", size, "/apis", AGGREGATED),
    await askedAgain(reopened, "openapi-v2", "OpenAPI v2", size, "/openapi/v2", "application/json"),
    await askedAgain(
      reopened,
      "openapi-v3",
      "OpenAPI v3 of one group",
      size,
      `/openapi/v3/apis/${GROUP}/v1`,
      "application/json",
    ),
  ];
  await changeOne(reopened);
  const afterwards = {
    ...(await askedAgain(reopened, "changed", "OpenAPI v2", size, "/openapi/v2", "application/json")),
    operation: `OpenAPI v2 after a change of one of ${size}`,
  };
  const firstEver = asked.find(({ id }) => id === "definitions/openapi-v2")?.rawValue ?? 0;
  return [
    {
      id: `definitions/start/${count}`,
      operation: `start to first answer on ${size}`,
      value: ms,
      unit: "ms",
    },
    ...asked,
    { ...afterwards, value: afterwards.rawValue ?? 0, rawValue: firstEver },
    {
      id: "definitions/memory",
      operation: `memory with ${size}`,
      value: rssMegabytes(again.pid),
      unit: "MB",
    },
  ];
}

/** The median of repeated requests, compared with the very first one. */
async function askedAgain(
  access: ServerAccess,
  id: string,
  what: string,
  size: string,
  path: string,
  accept: string,
): Promise<Row> {
  await awaitServed(access);
  const request = requestBytes("GET", path, { accept });
  return await withConnections(access, 1, async ([connection]) => {
    const took: number[] = [];
    let bytes = 0;
    for (let number = 0; number <= AGAIN; number++) {
      const from = performance.now();
      const answer = await connection?.send(request);
      took.push(performance.now() - from);
      if (answer?.status !== 200) throw new Error(`GET ${path} was answered with ${answer?.status}`);
      bytes = answer.bodyBytes;
    }
    const [first = 0, ...later] = took;
    const operation = `${what} again, ${(bytes / 1e6).toFixed(1)} MB, ${size}`;
    return {
      id: `definitions/${id}`,
      operation,
      value: median(later),
      unit: "ms",
      rawValue: first,
      raw: "the first time",
    };
  });
}

/** Changes one CRD, and resolves when discovery shows the change. */
async function changeOne(access: ServerAccess): Promise<void> {
  const body = { spec: { names: { shortNames: ["changed"] } } };
  const headers = { "content-type": "application/merge-patch+json" };
  await askWell(access, `${DEFINITIONS}/benches1.${GROUP}`, { method: "PATCH", headers, body });
  while (!(await askWell(access, `/apis/${GROUP}/v1`)).includes("changed")) await delay(SERVED_STEP_MS);
}

async function awaitServed(access: ServerAccess): Promise<void> {
  await askWell(access, `/apis/${GROUP}/v1`);
}
