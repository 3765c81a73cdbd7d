// Names and addresses of hosts, objects, mailboxes and resources on the web, as format checks take them.
import { isIpv6Text } from "../meta/ip.ts";

const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SHORT_NAME_MAX = 63;

export const isShortName = (text: string): boolean => text.length <= SHORT_NAME_MAX && SHORT_NAME.test(text);

const LETTER = "[a-zA-Z0-9\\p{S}\\p{L}]";
const HOST_LABEL = new RegExp(`^${LETTER}(?:-?${LETTER}{0,62})?$`, "u");
const DOTTED_LABEL = new RegExp(`^${LETTER}(?:(?:${LETTER}|-){0,61}${LETTER})?$`, "u");
const LAST_LABEL = new RegExp(`^${LETTER}(?:-?${LETTER}){1,62}$`, "u");
const HOSTNAME_MAX = 255;
const LABEL_MAX = 63;

/** A single label may have one dash, behind its first letter; the last of several labels has at least two letters. */
export function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > HOSTNAME_MAX) return false;
  const labels = text.split(".");
  if (labels.some((label) => Buffer.byteLength(label) > LABEL_MAX)) return false;
  const last = labels.pop() ?? "";
  if (labels.length === 0) return HOST_LABEL.test(last);
  return LAST_LABEL.test(last) && labels.every((label) => DOTTED_LABEL.test(label));
}

const ATOM = '[^\\x00-\\x20()<>\\[\\]:;@\\\\,."\\x7f]+';
const DOT_ATOM = `${ATOM}(?:\\.${ATOM})*`;
const QUOTED = '"(?:[^"\\\\\\x00-\\x1f\\x7f]|\\\\[^\\x00-\\x1f\\x7f])*"';
const DOMAIN = `(?:${DOT_ATOM}|\\[[^\\[\\]\\\\\\x00-\\x20\\x7f]*\\])`;
const MAILBOX = `(?:${DOT_ATOM}|${QUOTED})@${DOMAIN}`;
const BARE_MAILBOX = new RegExp(`^\\s*${MAILBOX}\\s*$`, "u");
const WORD = new RegExp(`\\s*(?:(?:${ATOM}|\\.)+|${QUOTED})`, "uy");
const EMAIL_MAX = 1000;

/** A mailbox, alone or in angle brackets behind a name. */
export function isEmail(text: string): boolean {
  if (text.length > EMAIL_MAX) return false;
  const trimmed = text.trim();
  const open = trimmed.lastIndexOf("<");
  if (open < 0 || !trimmed.endsWith(">")) return BARE_MAILBOX.test(trimmed);
  return isPhrase(trimmed.slice(0, open).trimEnd()) && BARE_MAILBOX.test(trimmed.slice(open + 1, -1));
}

/** Words and quoted texts; read word by word, so that no long text is tried in many ways. */
function isPhrase(text: string): boolean {
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length) if (!WORD.test(text)) return false;
  return true;
}

// Addresses as format checks take them: more lenient than meta/ip, for leading zeros in IPv4 were once allowed and are
// still found in stored objects.

const DOTTED = /^0*(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.0*(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const HEX_GROUP = /^[0-9a-fA-F]{1,4}$/;
const LONGEST = 100;
const MAC_BYTES: ReadonlySet<number> = new Set([6, 8, 20]);

const isDotted = (text: string): boolean => text.length <= LONGEST && DOTTED.test(text);

const isColoned = (text: string): boolean => isIpv6Text(text, DOTTED, LONGEST);

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
