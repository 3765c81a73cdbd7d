// Whether an EgressQoS can be put into force on a node.
import { parseCidr } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { Complaint, complaintOf, listComplaints, selectorOf } from "./complaint.ts";

const RULES_MAX = 1000;

/** What is wrong with the object; undefined if nothing is. */
export function checkEgressQos(object: KubeObject): string | undefined {
  const egress = isObject(object["spec"]) ? object["spec"]["egress"] : undefined;
  const rules: readonly unknown[] = Array.isArray(egress) ? egress : [];
  if (rules.length > RULES_MAX) {
    return `cannot create EgressQoS with ${rules.length} rules - maximum is ${RULES_MAX}`;
  }
  const complaints = rules.filter(isObject).flatMap(({ dstCIDR, podSelector }) => {
    const complaint = complaintOf(() => {
      if (typeof dstCIDR === "string" && !parseCidr(dstCIDR)) {
        throw new Complaint(`invalid CIDR address: ${dstCIDR}`);
      }
      selectorOf(podSelector);
    });
    const destination = typeof dstCIDR === "string" ? dstCIDR : "any";
    const { namespace = "" } = object.metadata;
    return complaint === undefined
      ? []
      : [
          `cannot create egressqos Rule to destination ${destination} for namespace ${namespace}: ${complaint}`,
        ];
  });
  return complaints.length === 0 ? undefined : listComplaints(complaints);
}
