// Hints for the user: settings of the server that differ from the imported cluster, and facts that could not be detected.

import type { Platform } from "../../controller/emulated-release.ts";
import type { ClusterFacts } from "../snapshot.ts";
import type { DetectedFacts } from "./facts.ts";
import type { DetectedVersions } from "./versions.ts";

/** Settings of the running server. */
export interface PlayedSettings extends Pick<ClusterFacts, "clusterSubnets" | "serviceSubnets" | "product"> {
  readonly platform: Platform;
}

const NETWORKS = [
  ["clusterSubnets", "pods", "--cluster-subnets"],
  ["serviceSubnets", "Services", "--service-cluster-ip-range"],
] as const;

/** One sentence for each hint, with the server flag that resolves it. */
export function settingHints(
  detected: DetectedFacts,
  versions: DetectedVersions,
  settings: PlayedSettings,
): string[] {
  const hints: string[] = NETWORKS.flatMap(([fact, whose, flag]) => {
    const [own, played] = [detected[fact], settings[fact]];
    if (own === undefined)
      return [
        `nothing says which networks the cluster's ${whose} have: here they have ${played}; say ${flag}`,
      ];
    return own === played
      ? []
      : [`the cluster's ${whose} have ${own}, here they have ${played}: say ${flag}=${own}`];
  });
  const { platform, doubtful, product } = detected;
  if (platform !== settings.platform)
    hints.push(`the cluster stands on ${platform}: say --platform=${platform}`);
  if (doubtful !== undefined && settings.platform !== doubtful)
    hints.push(
      `the nodes stand on ${doubtful}: if egress addresses are asked of it, say --platform=${doubtful}`,
    );
  if (product !== undefined && product !== settings.product)
    hints.push(`the cluster behaves as ${product}: say --profile=${product}`);
  const { networkType = "OVNKubernetes" } = versions;
  if (networkType !== "OVNKubernetes")
    hints.push(`the network of the cluster is ${networkType}, which decides otherwise than OVN-Kubernetes`);
  return hints;
}
