// Verifies certificate chains as Go's crypto/x509 does, with its errors. Trust anchors are the certificates of a bundle,
// whatever their extensions allow: a leaf in the bundle is trusted itself.
import { objectIdentifier } from "../../../apimachinery/go/der.ts";
import type { Certificate } from "../../../apimachinery/go/x509/certificate.ts";
import { signatureComplaint } from "../../../apimachinery/go/x509/signature.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";

export interface CertificateChain {
  readonly leaf: Certificate;
  /** Intermediate certificates sent by the peer. */
  readonly intermediates: readonly Certificate[];
  readonly roots: readonly Certificate[];
  readonly nowMs: number;
}

export type ChainsVerdict =
  /** All chains that are valid for the usage, each from the leaf to a root. */
  { readonly chains: readonly (readonly Certificate[])[] } | { readonly error: string };

/** As in Go: bounds the cost of a bundle with many issuers of one name. */
const SIGNATURE_CHECKS_MAX = 100;

const usageText = (dotted: string): string => objectIdentifier(dotted).subarray(2).toString("hex");
const ANY_USAGE = usageText("2.5.29.37.0");
const USAGES = { server: usageText("1.3.6.1.5.5.7.3.1"), client: usageText("1.3.6.1.5.5.7.3.2") };

export function verifyChain(chain: CertificateChain, usage: keyof typeof USAGES): ChainsVerdict {
  const { leaf, roots, nowMs } = chain;
  const error = validityComplaint(leaf, nowMs);
  if (error !== undefined) return { error };
  const isAnchor = roots.some(({ der }) => der.equals(leaf.der));
  const found = isAnchor ? { chains: [[leaf]] } : new ChainBuilder(chain).build();
  if ("error" in found) return found;
  const allows = ({ extensions: { usages } }: Certificate): boolean =>
    usages.length === 0 || usages.includes(USAGES[usage]) || usages.includes(ANY_USAGE);
  const usable = found.chains.filter((certificates) => certificates.every(allows));
  return usable.length === 0
    ? { error: "x509: certificate specifies an incompatible key usage" }
    : { chains: usable };
}

/** Whether each chain has an issuer with name or policy constraints, which are not verified here. */
export const areConstrained = (chains: readonly (readonly Certificate[])[]): boolean =>
  chains.every((certificates) => certificates.some(({ extensions }) => extensions.hasConstraints));

/** Why a certificate is not valid at this time, independent of its issuer; undefined: it is valid. */
export function validityComplaint(
  { extensions, fromMs, untilMs }: Certificate,
  nowMs: number,
): string | undefined {
  if (extensions.hasUnknownCritical) return "x509: unhandled critical extension";
  const [bound, limit] = nowMs < fromMs ? ["before", fromMs] : ["after", untilMs];
  if (nowMs >= fromMs && nowMs <= untilMs) return undefined;
  const times = `current time ${formatTime(nowMs)} is ${bound} ${formatTime(limit)}`;
  return `x509: certificate has expired or is not yet valid: ${times}`;
}

interface Hint {
  readonly error: string;
  readonly issuer: Certificate;
}

class ChainBuilder {
  readonly #of: CertificateChain;
  #checks = 0;

  constructor(of: CertificateChain) {
    this.#of = of;
  }

  build(): ChainsVerdict {
    return this.#from([this.#of.leaf]);
  }

  /** Extends the chain up to a root. */
  #from(chain: readonly [Certificate, ...Certificate[]]): ChainsVerdict {
    const chains: (readonly Certificate[])[] = [];
    let hint: Hint | undefined;
    let lastError: string | undefined;
    const child = chain.at(-1) ?? chain[0];
    for (const [issuers, isRoot] of [
      [this.#of.roots, true],
      [this.#of.intermediates, false],
    ] as const) {
      for (const issuer of issuersOf(child, issuers)) {
        if (++this.#checks > SIGNATURE_CHECKS_MAX) return { error: LIMIT_REACHED };
        if (issuer.publicKey === undefined || isInChain(issuer, chain)) continue;
        const unsigned = issuerComplaint(child, issuer);
        const invalid = unsigned === undefined ? this.#caComplaint(issuer, chain, isRoot) : undefined;
        const error = unsigned ?? invalid;
        if (error !== undefined) {
          hint ??= { error, issuer };
          lastError = invalid ?? lastError;
          continue;
        }
        const longer = [...chain, issuer] as const;
        const found = isRoot ? { chains: [longer] } : this.#from(longer);
        if ("error" in found) lastError = found.error;
        else for (const each of found.chains) chains.push(each);
        if (lastError === LIMIT_REACHED) return { error: LIMIT_REACHED };
      }
    }
    if (chains.length > 0) return { chains };
    return { error: lastError ?? unknownAuthority(hint) };
  }

  #caComplaint(issuer: Certificate, chain: readonly Certificate[], isRoot: boolean): string | undefined {
    const { isAuthority, pathLengthMax = Number.POSITIVE_INFINITY } = issuer.extensions;
    const error = validityComplaint(issuer, this.#of.nowMs);
    if (error !== undefined) return error;
    if (!isRoot && isAuthority !== true)
      return "x509: certificate is not authorized to sign other certificates";
    return chain.length - 1 > pathLengthMax
      ? "x509: too many intermediates for path length constraint"
      : undefined;
  }
}

const LIMIT_REACHED = "x509: signature check attempts limit reached while verifying certificate chain";
const CANNOT_SIGN = "x509: invalid signature: parent certificate cannot sign this kind of certificate";

/** Candidates with the name of the issuer; those with the matching key ID come first. */
function issuersOf(child: Certificate, all: readonly Certificate[]): readonly Certificate[] {
  const named = all.filter(({ subject }) => subject.equals(child.issuer));
  const rank = ({ extensions: { subjectKeyId } }: Certificate): number => {
    const { authorityKeyId } = child.extensions;
    if (subjectKeyId.equals(authorityKeyId)) return 0;
    return subjectKeyId.length === 0 || authorityKeyId.length === 0 ? 1 : 2;
  };
  return named.toSorted((a, b) => rank(a) - rank(b));
}

function issuerComplaint(
  child: Certificate,
  { version, extensions, publicKey }: Certificate,
): string | undefined {
  const { isAuthority, maySignCertificates } = extensions;
  const isNoAuthority = isAuthority === false || (version === 3 && isAuthority === undefined);
  if (isNoAuthority || !maySignCertificates) return CANNOT_SIGN;
  return signatureComplaint(publicKey, child.signed, { allowSha1: false });
}

function isInChain(candidate: Certificate, chain: readonly Certificate[]): boolean {
  const namesOf = ({ extensions }: Certificate): string | undefined =>
    extensions.alternativeNames?.toString("hex");
  return chain.some(
    (other) =>
      other.subject.equals(candidate.subject) &&
      other.publicKeyInfo.equals(candidate.publicKeyInfo) &&
      namesOf(other) === namesOf(candidate),
  );
}

function unknownAuthority(hint: Hint | undefined): string {
  const text = "x509: certificate signed by unknown authority";
  if (hint === undefined) return text;
  const { commonName, lists } = hint.issuer.name;
  const name = commonName || lists.organization[0] || "serial";
  const because = JSON.stringify(hint.error);
  return `${text} (possibly because of ${because} while trying to verify candidate authority certificate ${JSON.stringify(name)})`;
}
