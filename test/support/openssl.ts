// Keys and certificates created by openssl, in a folder of a test.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const OPENSSL = process.env["OPENSSL"] ?? "openssl";

/** The arguments of `openssl genpkey` for each type of key. */
const KEY_TYPES = {
  rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
  ecdsa: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
  ed25519: ["-algorithm", "ED25519"],
};

export type OpensslKey = keyof typeof KEY_TYPES;

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface OpensslOptions {
  readonly type?: OpensslKey;
  /** Omitted: the certificate is self-signed. */
  readonly ca?: CertificateFiles;
  /** Lines of an extension section, such as `basicConstraints=critical,CA:TRUE`. */
  readonly extensions?: readonly string[];
  /** A negative number: the certificate has expired. */
  readonly days?: number;
}

/** Reports whether openssl is installed. */
export const hasOpenssl = (): boolean => spawnSync(OPENSSL, ["version"]).status === 0;

export class OpensslFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  key(name: string, type: OpensslKey = "ecdsa"): string {
    const file = this.path(`${name}.key`);
    this.#run("genpkey", ...KEY_TYPES[type], "-out", file);
    return file;
  }

  publicKey(name: string, key: string): string {
    const file = this.path(`${name}.pub`);
    this.#run("pkey", "-in", key, "-pubout", "-out", file);
    return file;
  }

  authority(name: string, type?: OpensslKey): CertificateFiles {
    const extensions = ["basicConstraints=critical,CA:TRUE", "keyUsage=keyCertSign"];
    return this.certificate(name, `/CN=${name}`, { extensions, ...(type === undefined ? {} : { type }) });
  }

  /** `subject` in openssl's format: "/O=dev/CN=alice". */
  certificate(name: string, subject: string, options: OpensslOptions = {}): CertificateFiles {
    const { type, ca, extensions = [], days = 1 } = options;
    const [key, certificate] = [this.key(name, type), this.path(`${name}.crt`)];
    const request = this.path(`${name}.csr`);
    const added = extensions.flatMap((line) => ["-addext", line]);
    this.#run("req", "-new", "-key", key, "-subj", subject, ...added, "-out", request);
    const issuer = ca === undefined ? ["-key", key] : ["-CA", ca.certificate, "-CAkey", ca.key];
    const copied = extensions.length === 0 ? [] : ["-copy_extensions", "copyall"];
    const validity = ["-days", String(days), ...(ca === undefined ? [] : ["-CAcreateserial"])];
    this.#run("x509", "-req", "-in", request, ...issuer, ...copied, ...validity, "-out", certificate);
    return { certificate, key };
  }

  #run(...args: readonly string[]): void {
    const { status, stderr } = spawnSync(OPENSSL, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`openssl ${args.join(" ")}: ${stderr}`);
  }
}
