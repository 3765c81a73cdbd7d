// Explains user-defined networks, CloudPrivateIPConfigs and EgressRouters from the conditions that their controllers report.

import { objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { readCloudPrivateIpConfig } from "../assignment/cloud-request.ts";
import { type Cluster, objectKey } from "../cluster/cluster.ts";
import { attachmentKey } from "../cluster/network-view.ts";
import { type Reason, reason } from "../reason.ts";
import { conditionsSection, counted, type Explanation, explained } from "./explanation.ts";

export function explainCloudRequest(cluster: Cluster, object: KubeObject): Explanation {
  const { name, address = name, node, owner, deleting, status } = readCloudPrivateIpConfig(object);
  const [condition] = status.conditions;
  const who = `CloudPrivateIPConfig ${name} asks for ${address} on ${node}`;
  const asks = owner === undefined ? "for nobody that it names" : `for EgressIP ${owner}`;
  const reasons: Reason[] = [];
  if (deleting)
    reasons.push(
      reason(
        17,
        "it is being deleted, and waits for the cloud to take the address back",
        "wait for the cloud",
      ),
    );
  else if (!condition)
    reasons.push(reason(17, "the cloud has not answered yet", "see whether the cloud's controller runs"));
  else if (condition.status !== "True")
    reasons.push(reason(17, `the cloud refuses: ${condition.message}`, "see quota and subnet at the cloud"));
  if (owner !== undefined && !cluster.snapshot.get("egressips.k8s.ovn.org", "", owner)) {
    reasons.push(reason(17, `EgressIP ${owner}, for which it asks, is not there`, "delete the stray object"));
  }
  const [first] = reasons;
  const summary = `${who} ${asks}: ${first?.text ?? `it is granted on ${status.node}`}`;
  return explained("CloudPrivateIPConfig", object, summary, {
    reasons,
    sections: [conditionsSection(object)],
  });
}

export function explainNetwork(cluster: Cluster, kind: string, object: KubeObject): Explanation {
  const { name = "", namespace } = object.metadata;
  const network = namespace ? `${namespace}_${name}` : `cluster_udn_${name}`;
  const found = cluster.networks.own.get(network);
  const advertised = found && cluster.networks.advertisement(found);
  const attached = found?.attachments ?? [];
  const pods = attached.flatMap((attachment) => {
    const inNetwork = cluster.pods(attachment.metadata.namespace ?? "");
    return inNetwork
      .filter((pod) => found && cluster.addressesOf(pod, found).length > 0)
      .map((pod) => [`${pod.namespace}/${pod.name}`, pod.node]);
  });
  const failed = failures(object);
  const what = found
    ? `is the primary network ${network} (${found.topology}) of ${counted(attached.length, "namespace")} with ${counted(pods.length, "pod")}${advertised ? ", and is advertised" : ""}`
    : "is no primary network that pods could be in";
  const summary = `${kind} ${objectKey(object)} ${failed[0] ? `has failed: ${failed[0].text}` : what}`;
  return explained(kind, object, summary, {
    reasons: failed,
    sections: [
      conditionsSection(object),
      { title: "Attachments", columns: ["NAME"], rows: attached.map((one) => [attachmentKey(one)]) },
      { title: "Pods", columns: ["POD", "NODE"], rows: pods },
    ],
  });
}

export function explainByConditions(kind: string, object: KubeObject): Explanation {
  const failed = failures(object);
  const said =
    objectsAt(objectAt(object, "status"), "conditions").length > 0
      ? "everything that is said of it is well"
      : "nothing is said of it yet";
  const summary = `${kind} ${objectKey(object)}: ${failed[0]?.text ?? said}`;
  return explained(kind, object, summary, { reasons: failed, sections: [conditionsSection(object)] });
}

/** Conditions whose status True is a failure. */
const ADVERSE = new Set(["Degraded", "Progressing"]);

const failures = (object: KubeObject): Reason[] =>
  objectsAt(objectAt(object, "status"), "conditions")
    .filter((one) => textAt(one, "status") === (ADVERSE.has(textAt(one, "type")) ? "True" : "False"))
    .map((one) =>
      reason(
        0,
        `${textAt(one, "type")} is ${textAt(one, "status")} (${textAt(one, "reason")}): ${textAt(one, "message")}`,
      ),
    );
