// Networks with bits set behind their prefix (1.2.3.5/23): OVN may refuse such a constant, so that the rule does nothing. They
// are taken for the whole network, and that is said (verdict.md 2.3 and 6).
import { cidrContains, type IpAddress, parseCidr } from "../../meta/ip.ts";
import { type Way, warn } from "./way.ts";

/** Of a rule that has decided: the networks in it that hold the address. */
export const mindHostBits = (way: Way, rule: string, networks: readonly string[], ip: IpAddress): Way =>
  networks.reduce((next, text) => {
    const cidr = parseCidr(text);
    if (!cidr || cidr.address.value === cidr.first || !cidrContains(cidr, ip)) return next;
    return warn(
      next,
      `${rule} is for ${text}, which has bits set behind its prefix: it is taken for ${cidr.text}, but OVN may refuse it`,
    );
  }, way);
