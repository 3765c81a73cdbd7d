// Addresses as format checks take them: more lenient than meta/ip, for leading zeros in IPv4 were once allowed and are
// still found in stored objects.

const DOTTED = /^0*(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.0*(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const HEX_GROUP = /^[0-9a-fA-F]{1,4}$/;
const LONGEST = 100;
const MAC_BYTES: ReadonlySet<number> = new Set([6, 8, 20]);

const isDotted = (text: string): boolean => text.length <= LONGEST && DOTTED.test(text);

/** Up to eight groups of hexadecimal digits, "::" once, dotted IPv4 in place of the last two. */
function isColoned(text: string): boolean {
  if (text.length > LONGEST) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  let count = groups.length;
  const last = groups.at(-1);
  if (last?.includes(".")) {
    if (!isDotted(last) || text.endsWith("::")) return false;
    groups.pop();
    count++;
  }
  if (halves.length === 2 ? count > 7 : count !== 8) return false;
  return groups.every((group) => HEX_GROUP.test(group));
}

const isAddress = (text: string): boolean => (text.includes(":") ? isColoned(text) : isDotted(text));

/** Any address with a dot in it: an IPv4-mapped IPv6 address has one, too. */
export const isIpv4 = (text: string): boolean => text.includes(".") && isAddress(text);

export const isIpv6 = (text: string): boolean => text.includes(":") && isColoned(text);

export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const prefix = text.slice(slash + 1);
  if (!/^\d{1,9}$/.test(prefix)) return false;
  return isDotted(address) ? Number(prefix) <= 32 : isColoned(address) && Number(prefix) <= 128;
}

/** 6, 8 or 20 bytes: 01:02:…, 01-02-… or 0102.0304.… */
export function isMac(text: string): boolean {
  const separator = text[2] === ":" || text[2] === "-" ? text[2] : text[4] === "." ? "." : undefined;
  if (separator === undefined) return false;
  const digits = separator === "." ? 4 : 2;
  const groups = text.split(separator);
  return (
    MAC_BYTES.has((groups.length * digits) / 2) &&
    groups.every((group) => group.length === digits && HEX_GROUP.test(group))
  );
}
