// Verification of a kubeconfig's server as in client-go: a leaf may be its own trust anchor, and the common name is not a
// host name.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Connection } from "../../../../../src/apiserver/http/kubeconfig/client.ts";
import { makeCertificate, type TestCertificate } from "../../../../support/certificates.ts";

const HOST = "127.0.0.1";
const ca = makeCertificate({ subject: "ca", ca: true });
const leaf = makeCertificate({ subject: "leaf", hosts: [HOST], issuer: ca });
const named = makeCertificate({ subject: HOST, issuer: ca });
const other = makeCertificate({ subject: "leaf", hosts: ["other.example"], issuer: ca });

/** The answer of a server with the certificate, or why there is none. */
async function ask(own: TestCertificate, anchor: TestCertificate): Promise<string> {
  const server = createServer({ cert: own.pem, key: own.keyPem }, (_request, response) => response.end("ok"));
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const folder = await mkdtemp(join(tmpdir(), "egret-kubeconfig-"));
  try {
    const { port } = server.address() as AddressInfo;
    const bundle = Buffer.from(anchor.pem).toString("base64");
    const cluster = { server: `https://${HOST}:${port}`, "certificate-authority-data": bundle };
    const kubeconfig = {
      clusters: [{ name: "c", cluster }],
      contexts: [{ name: "c", context: { cluster: "c" } }],
      "current-context": "c",
    };
    const path = join(folder, "config");
    await writeFile(path, JSON.stringify(kubeconfig), { mode: 0o600 });
    const client = new Connection({ paths: [path] });
    const { text } = await client.request({ method: "GET", path: "/" });
    return text;
  } catch (error) {
    return (error as Error).message;
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
}

test.each<[string, TestCertificate, TestCertificate, RegExp]>([
  ["of an authority", leaf, ca, /^ok$/],
  ["that is its own trust anchor", leaf, leaf, /^ok$/],
  ["with a common name alone", named, ca, /relies on legacy Common Name field, use SANs instead/],
  ["for another name", other, ca, /doesn't contain any IP SANs/],
])("a certificate %s", async (_what, own, anchor, outcome) => {
  expect(await ask(own, anchor)).toMatch(outcome);
});
