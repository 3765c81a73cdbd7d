// Summary of a difference in one sentence, most severe effects first.
import type { Difference } from "../../ovn/compare.ts";

export function sentenceOf({ moved, services, pods, decided, refused }: Difference): string {
  const lost = moved.filter(({ to }) => to === undefined).length;
  const gained = moved.filter(({ from }) => from === undefined).length;
  const parts = [
    counted(refused.length, "change is refused", "changes are refused"),
    counted(lost, "address would have no node", "addresses would have no node"),
    counted(moved.length - lost - gained, "address would move", "addresses would move"),
    counted(gained, "address would get a node", "addresses would get a node"),
    counted(
      services.length,
      "EgressService would have another host",
      "EgressServices would have other hosts",
    ),
    counted(pods.length, "pod would leave otherwise", "pods would leave otherwise"),
    counted(decided.length, "decision would change", "decisions would change"),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "Nothing would be different." : `${parts.join(", ")}.`;
}

const counted = (count: number, one: string, many: string): string =>
  count === 0 ? "" : `${count.toLocaleString()} ${count === 1 ? one : many}`;
