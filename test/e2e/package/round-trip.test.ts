// Another server of the installed package keeps the decisions of the first: exported from the first, applied with its
// status.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installedFolder } from "../../support/package/packed-package.ts";
import { Player } from "../../support/package/player.ts";

const MINUTES_MS = 240_000;
const IN_TEAM = "/api/v1/namespaces/team-web";
const HOST_LABEL = "egress-service.k8s.ovn.org/team-web-web";

interface Found {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly status?: { readonly items?: readonly { readonly node: string }[]; readonly host?: string };
}

async function patchStatus(url: string, path: string, status: unknown): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const body = JSON.stringify({ status });
  const answer = await fetch(`${url}${IN_TEAM}/${path}/status`, { method: "PATCH", headers, body });
  expect(answer.status, await answer.text()).toBe(200);
}

/** As when everything is at work: the pod runs, and the Service has its address. */
async function playCluster(url: string): Promise<void> {
  const podIP = "10.128.0.5";
  const conditions = [{ type: "Ready", status: "True" }];
  await patchStatus(url, "services/web", { loadBalancer: { ingress: [{ ip: "192.0.2.10" }] } });
  await patchStatus(url, "pods/web-1", { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions });
}

/** Where the EgressIP and the EgressService are, and the nodes that have the label of the second. */
async function assigned(player: Player) {
  await player.shell("egret clock settle");
  const found = async (kind: string): Promise<readonly Found[]> =>
    JSON.parse(await player.shell(`egret export ${kind} --full -o json`)).items;
  const nodes = await found("nodes");
  return {
    ip: (await found("egressips")).map(({ status }) => status?.items?.map(({ node }) => node)),
    service: (await found("egressservices")).map(({ status }) => status?.host),
    labelled: nodes.filter(({ metadata }) => HOST_LABEL in (metadata.labels ?? {})).map(nameOf),
    nodes: nodes.map(nameOf),
  };
}

const nameOf = ({ metadata }: Found): string => metadata.name;

test("assignments that nobody would make anew are kept", { timeout: MINUTES_MS }, async () => {
  const manifests = join(await installedFolder(), "test/e2e/manifests");
  const one = await Player.in("exports");
  await using first = await one.serve();
  const read = (name: string) => readFile(join(manifests, `${name}.yaml`), "utf8");
  const [, nodeB = ""] = (await read("nodes")).split("---\n");
  const onB = (await read("egress-service")).replace("nodeName: node-a", "nodeName: node-b");
  await one.write("on-b.yaml", [nodeB, await read("egress-ip"), onB].join("---\n"));
  await one.shell("egret apply -f on-b.yaml");
  await playCluster(first.url);
  await one.shell("egret clock settle");
  await one.shell(`egret apply -f ${manifests}/nodes.yaml`);
  const onNodeB = {
    ip: [["node-b"]],
    service: ["node-b"],
    labelled: ["node-b"],
    nodes: ["node-a", "node-b"],
  };
  expect(await assigned(one)).toEqual(onNodeB);
  await one.shell("egret export > objects.yaml && egret export --full > state.yaml");

  const keeps = await Player.in("keeps");
  await using _second = await keeps.serve();
  await keeps.shell("egret apply --status -f ../exports/state.yaml");
  expect(await assigned(keeps)).toEqual(onNodeB);

  const decides = await Player.in("decides");
  await using third = await decides.serve();
  await decides.shell("egret apply -f ../exports/objects.yaml");
  await playCluster(third.url);
  expect(await assigned(decides)).toMatchObject({ ip: [["node-a"]], service: ["node-a"] });
});
