import { objectAt, textsAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import { isAbout, type ValidatingPlugin } from "./about.ts";

/** Rejects new external IPs of a Service; existing ones may remain. */
export const createDenyServiceExternalIps = (): ValidatingPlugin => ({
  name: "DenyServiceExternalIPs",
  validate(attributes) {
    const { operation, object, oldObject } = attributes;
    if (operation === "DELETE" || !isAbout(attributes, "", "services")) return;
    const before = externalIpsOf(oldObject);
    if (externalIpsOf(object).every((ip) => before.includes(ip))) return;
    throw refuse(attributes, "Use of external IPs is denied by admission control");
  },
});

const externalIpsOf = (service: Readonly<KubeObject> | undefined): string[] =>
  textsAt(objectAt(service, "spec"), "externalIPs");
