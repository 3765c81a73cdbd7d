// Signs approved requests for the signer kubernetes.io/kube-apiserver-client with the server's own CA (--secure). The
// certificate authenticates its holder as the subject of the request. Other signers are left to other programs.
import {
  type CertificateRequest,
  decodeCertificateRequest,
} from "../../apimachinery/go/x509/certificate-request.ts";
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { ignoring, resourceIn } from "../../controller/api.ts";
import { isTrue } from "../../controller/conditions.ts";
import { defineController } from "../../controller/define-controller.ts";

const REQUESTS = resourceIn("certificates.k8s.io", "v1", "certificatesigningrequests");
const SIGNER = "kubernetes.io/kube-apiserver-client";
const CLIENT_AUTH = "client auth";
const USAGES = [CLIENT_AUTH, "digital signature", "key encipherment"];
const LONGEST_SECONDS = 365 * 24 * 3600;
const SHORTEST_SECONDS = 600;

export const certificateSigner = defineController({
  name: "csrsigning",
  summary: "certificates for clients, where a request for one is approved (with --secure)",
  fieldManager: "csrsigning",
  watches: {
    requests: { resource: REQUESTS, on: ["add", "update"] },
  },
  async reconcile(name, { requests, client, clock, signClient }) {
    const request = requests.get(name);
    if (request === undefined || signClient === undefined || !isWaiting(request)) return;
    const status = objectAt(request, "status");
    const spec = objectAt(request, "spec");
    const asked = decodeCertificateRequest(textAt(spec, "request"));
    const usages = textsAt(spec, "usages");
    const answer = (change: JsonObject) =>
      ignoring(
        [404, 409],
        client.update(REQUESTS, { ...request, status: { ...status, ...change } }, "status"),
      );
    const problem = requestProblem(asked) ?? usagesProblem(usages);
    if (typeof asked === "string" || asked.publicKey === undefined || problem !== undefined) {
      const failed = {
        ...{ type: "Failed", status: "True", reason: "SignerValidationFailure", message: problem },
        lastUpdateTime: formatTime(clock.now()),
      };
      await answer({ conditions: [...objectsAt(status, "conditions"), failed] });
      return;
    }
    const seconds = numberAt(spec, "expirationSeconds") ?? LONGEST_SECONDS;
    const { subject, names, publicKey } = asked;
    const terms = { seconds: Math.max(SHORTEST_SECONDS, Math.min(seconds, LONGEST_SECONDS)), usages };
    const pem = signClient({ subject, names, publicKey }, terms);
    await answer({ certificate: Buffer.from(pem).toString("base64") });
  },
});

const isWaiting = (request: KubeObject): boolean =>
  textAt(objectAt(request, "spec"), "signerName") === SIGNER &&
  textAt(objectAt(request, "status"), "certificate") === "" &&
  isTrue(request, "Approved") &&
  !isTrue(request, "Denied") &&
  !isTrue(request, "Failed");

/** The API server has validated the request, unless it was imported. */
const requestProblem = (asked: CertificateRequest | string): string | undefined =>
  typeof asked === "string" ? asked : asked.signatureComplaint;

function usagesProblem(usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => !USAGES.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes(CLIENT_AUTH)
    ? undefined
    : `missing required usage for client certificate: ${CLIENT_AUTH}`;
}
