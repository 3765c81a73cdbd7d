// Authorization to approve and sign CertificateSigningRequests, per signer. Requests for the group system:masters
// are rejected.
import { decodeCertificateRequest } from "../../apimachinery/go/x509/certificate-request.ts";
import { equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../../apiserver/registry/admission.ts";
import type { Authorizer } from "../../apiserver/registry/definition/request-context.ts";
import { type AskingDeps, isAbout, type ValidatingPlugin } from "./about.ts";

const GROUP = "certificates.k8s.io";
const CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client";
const ADMINISTRATORS = "system:masters";

const signerOf = (object: Readonly<JsonObject> | undefined): string =>
  textAt(objectAt(object, "spec"), "signerName");

const isChangeOf = ({ view, subresource, operation }: AdmissionAttributes, asked: string): boolean =>
  operation === "UPDATE" && view.definition.group === GROUP && subresource === asked;

/** Authorized for the signer by name, or for all signers of its domain. */
function mayUseSigner(
  authorizer: Authorizer,
  verb: string,
  signer: string,
  { context }: AdmissionAttributes,
): boolean {
  return [signer, `${signer.split("/")[0]}/*`].some(
    (name) =>
      authorizer.authorize({
        ...{ type: "resource", user: context.user, verb, group: GROUP, version: "*" },
        ...{ resource: "signers", subresource: "", namespace: "", name },
      }).allowed,
  );
}

function demandSigner(
  { authorizer }: AskingDeps,
  attributes: AdmissionAttributes,
  verb: "approve" | "sign",
): void {
  const signer = signerOf(attributes.oldObject);
  if (mayUseSigner(authorizer, verb, signer, attributes)) return;
  throw refuse(
    attributes,
    `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`,
  );
}

export const createCertificateApproval = (deps: AskingDeps): AdmissionPlugin => ({
  name: "CertificateApproval",
  validate(attributes) {
    if (isChangeOf(attributes, "approval")) demandSigner(deps, attributes, "approve");
  },
});

/** The parts of the status that a signer writes: certificate and conditions. */
const answerOf = (object: Readonly<JsonObject> | undefined): unknown[] => {
  const status = objectAt(object, "status");
  return [textAt(status, "certificate"), objectsAt(status, "conditions")];
};

export const createCertificateSigning = (deps: AskingDeps): AdmissionPlugin => ({
  name: "CertificateSigning",
  validate(attributes) {
    const { object, oldObject } = attributes;
    if (!isChangeOf(attributes, "status") || equalJson(answerOf(object), answerOf(oldObject))) return;
    demandSigner(deps, attributes, "sign");
  },
});

/** A validating plugin, so that no mutating webhook runs after the check. */
export const createCertificateSubjectRestriction = (): ValidatingPlugin => ({
  name: "CertificateSubjectRestriction",
  validate(attributes) {
    const { operation, object } = attributes;
    if (operation !== "CREATE" || !isAbout(attributes, GROUP, "certificatesigningrequests")) return;
    if (signerOf(object) !== CLIENT_SIGNER) return;
    const request = decodeCertificateRequest(textAt(objectAt(object, "spec"), "request"));
    if (typeof request === "string") throw refuse(attributes, `failed to parse CSR: ${request}`);
    if (!request.subject.lists.organization.includes(ADMINISTRATORS)) return;
    const rule = `use of ${CLIENT_SIGNER} signer with ${ADMINISTRATORS} group is not allowed`;
    throw refuse(attributes, rule);
  },
});
