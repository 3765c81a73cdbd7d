// Signs what was approved for the signer kubernetes.io/kube-apiserver-client with the server's own authority (--secure): who
// shows the certificate is let in under the names in it. Other signers are somebody else's.
import { type CertificateRequest, decodeCertificateRequest } from "../go/certificate-request.ts";
import { formatTime } from "../meta/clock.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { ignoring, resourceIn } from "./kit/api.ts";
import { isTrue } from "./kit/conditions.ts";
import { defineController } from "./kit/define-controller.ts";

const REQUESTS = resourceIn("certificates.k8s.io", "v1", "certificatesigningrequests");
const SIGNER = "kubernetes.io/kube-apiserver-client";
const CLIENT_AUTH = "client auth";
const USAGES = [CLIENT_AUTH, "digital signature", "key encipherment"];
const LONGEST_SECONDS = 365 * 24 * 3600;

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
    const problem = problemOf(asked, textsAt(spec, "usages"));
    const answer = (change: JsonObject) =>
      ignoring(
        [404, 409],
        client.update(REQUESTS, { ...request, status: { ...status, ...change } }, "status"),
      );
    if (typeof asked === "string" || problem !== undefined) {
      const failed = {
        ...{ type: "Failed", status: "True", reason: "SignerValidationFailure", message: problem },
        lastUpdateTime: formatTime(clock.now()),
      };
      await answer({ conditions: [...objectsAt(status, "conditions"), failed] });
      return;
    }
    const seconds = numberAt(spec, "expirationSeconds") ?? LONGEST_SECONDS;
    const pem = signClient(asked, Math.min(seconds, LONGEST_SECONDS));
    await answer({ certificate: Buffer.from(pem).toString("base64") });
  },
});

const isWaiting = (request: KubeObject): boolean =>
  textAt(objectAt(request, "spec"), "signerName") === SIGNER &&
  textAt(objectAt(request, "status"), "certificate") === "" &&
  isTrue(request, "Approved") &&
  !isTrue(request, "Denied") &&
  !isTrue(request, "Failed");

/** Why the request is not signed, approved or not. */
function problemOf(asked: CertificateRequest | string, usages: readonly string[]): string | undefined {
  if (typeof asked === "string") return asked;
  if (asked.signatureComplaint !== undefined) return "the request is not signed with its key";
  const isForClients = usages.includes(CLIENT_AUTH) && usages.every((usage) => USAGES.includes(usage));
  return isForClients ? undefined : "usages did not match the permitted ones";
}
