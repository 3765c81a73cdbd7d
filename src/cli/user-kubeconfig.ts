// `egret kubeconfig --user`: a kubeconfig with a client certificate for another user, which the server signs through a
// CertificateSigningRequest.
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { pemBlocks } from "../apimachinery/go/pem.ts";
import { encodeCertificateRequest } from "../apimachinery/go/x509/encode-request.ts";
import { objectAt, objectsAt, parsedObject, textAt } from "../apimachinery/json/json.ts";
import { elapsedMs, pauseAwake } from "../apimachinery/meta/clock.ts";
import { readAccess } from "../apiserver/http/kubeconfig/access.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { kubeconfigText } from "../server/files/kubeconfig.ts";
import type { CommandLine, Environment } from "../server/options/read-command-line.ts";
import { askedBy, kubeconfigOf } from "./ask-server.ts";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const INFO = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
const SIGNER = "kubernetes.io/kube-apiserver-client";
/** Timeout for the controller csrsigning, and the polling interval. */
const [SIGNING_MS_MAX, PAUSE_MS] = [10_000, 50];

/** Returns the text of the kubeconfig. Throws UsageError and StartError. */
export async function userKubeconfig(line: CommandLine, env: Environment): Promise<string> {
  const asked = askedBy(line, env);
  const name = asked.text("user") ?? "";
  if (name === "") throw new UsageError("--user needs the name of a user");
  const { server, tls } = await readAccess(await kubeconfigOf(line.values, env));
  if (!server.startsWith("https:"))
    throw new StartError(`${server} does not authenticate users: a server with --secure does`);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const request = encodeCertificateRequest(name, asked.texts("group"), privateKey);
  const certificate = await signed(asked, request);
  await demandTrust(asked, certificate);
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return kubeconfigText({ url: server, authority: tls.ca, client: { certificate, key } });
}

type Asked = ReturnType<typeof askedBy>;

/** Returns the certificate in PEM and deletes the CertificateSigningRequest. Throws StartError. */
async function signed(asked: Asked, request: string): Promise<string> {
  const made = parsedObject(
    await asked.ask(
      {
        method: "POST",
        path: REQUESTS,
        body: JSON.stringify({
          ...{ apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" },
          metadata: { generateName: "egret-kubeconfig-" },
          spec: {
            request: Buffer.from(request).toString("base64"),
            signerName: SIGNER,
            usages: ["client auth"],
          },
        }),
      },
      "",
    ),
  );
  const path = `${REQUESTS}/${textAt(objectAt(made, "metadata"), "name")}`;
  try {
    const approved = {
      type: "Approved",
      status: "True",
      reason: "EgretKubeconfig",
      message: "by egret kubeconfig",
    };
    const body = JSON.stringify({ ...made, status: { conditions: [approved] } });
    await asked.ask({ method: "PUT", path: `${path}/approval`, body }, "");
    return await certificateOf(asked, path);
  } finally {
    await asked.askAnyway({ method: "DELETE", path }, "");
  }
}

async function certificateOf(asked: Asked, path: string): Promise<string> {
  const startMs = elapsedMs();
  while (elapsedMs() - startMs < SIGNING_MS_MAX) {
    const status = objectAt(parsedObject(await asked.ask(path, "")), "status");
    const certificate = textAt(status, "certificate");
    if (certificate !== "") return Buffer.from(certificate, "base64").toString();
    const failed = objectsAt(status, "conditions").find(({ type }) => type === "Failed");
    if (failed !== undefined)
      throw new StartError(`the server does not sign it: ${textAt(failed, "message")}`);
    await pauseAwake(PAUSE_MS);
  }
  throw new StartError("the server has not signed the certificate: its controller csrsigning does");
}

/**
 * Throws unless the server trusts the certificate. A server with --client-ca-file does not trust its own signer, unless
 * that CA is in the file.
 */
async function demandTrust(asked: Asked, certificate: string): Promise<void> {
  const bundle = textAt(objectAt(parsedObject(await asked.ask(INFO, "")), "data"), "client-ca-file");
  const leaf = new X509Certificate(certificate);
  const isTrusted = pemBlocks(bundle).some(({ bytes }) => leaf.verify(new X509Certificate(bytes).publicKey));
  if (!isTrusted)
    throw new StartError(
      "the server trusts the CA of --client-ca-file alone: let that CA sign the certificate",
    );
}
