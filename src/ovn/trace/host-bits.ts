// CIDRs with host bits (1.2.3.5/23): OVN may reject such a constant, and then the rule has no effect. The verdict masks the
// CIDR and adds a warning (src/ovn/rules.md R37).
import { cidrContains, type IpAddress, parseCidr } from "../../apimachinery/meta/ip.ts";
import { type PacketPath, warn } from "./packet-path.ts";

/** Warns about each CIDR with host bits that contains the address; `networks` are those of the deciding rule. */
export const mindHostBits = (
  way: PacketPath,
  rule: string,
  networks: readonly string[],
  ip: IpAddress,
): PacketPath =>
  networks.reduce((next, text) => {
    const cidr = parseCidr(text);
    if (!cidr || cidr.address.value === cidr.first || !cidrContains(cidr, ip)) return next;
    return warn(
      next,
      `${rule} is for ${text}, which has bits set behind its prefix: it is taken for ${cidr.text}, but OVN may refuse it`,
    );
  }, way);
