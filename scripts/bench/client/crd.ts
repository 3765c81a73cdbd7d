// Installs the EgressIP CRD on servers other than Egret, which may not serve the kind.
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { packageFile } from "../../../src/apimachinery/meta/package-files.ts";
import { servesEgressIps } from "./egress-ips.ts";
import { askWell, type ServerAccess } from "./server-access.ts";

const DEFINITION = packageFile("schemas", "k8s.ovn.org", "v1", "egressip.yaml");
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const SERVED_TRIES = 100;
const TRY_MS = 100;

/** Installs the kind where it is missing, and returns a function that removes it again. */
export async function ensureEgressIps(access: ServerAccess): Promise<() => Promise<void>> {
  if (await servesEgressIps(access)) return async () => {};
  const definition = parse(await readFile(DEFINITION, "utf8"));
  const name: string = definition.metadata.name;
  await askWell(access, DEFINITIONS, { method: "POST", body: definition });
  for (let tries = 0; !(await servesEgressIps(access)); tries++) {
    if (tries === SERVED_TRIES) throw new Error("the server does not serve the EgressIPs that were defined");
    await sleep(TRY_MS);
  }
  return async () =>
    void (await askWell(access, `${DEFINITIONS}/${name}`, {
      method: "DELETE",
    }));
}
