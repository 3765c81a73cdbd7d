// A CA and the certificates that it signs for an etcd and for its client, as the files with which both are started.
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { objectIdentifier, sequence, set, utf8 } from "../../src/apimachinery/go/der.ts";
import { readName } from "../../src/apimachinery/go/x509/distinguished-name.ts";
import {
  createAuthority,
  createClientCertificate,
  createServerCertificate,
} from "../../src/apiserver/http/tls/certificate.ts";

const NAME = "authority of a test";
const COMMON_NAME = "2.5.4.3";
const HOUR_MS = 3_600_000;

const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();

/** Paths of PEM files. */
export interface EtcdCertificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

/** For an etcd on the loopback, and a client that etcd authenticates as this user. */
export async function writeEtcdCertificates(folder: string, user: string): Promise<EtcdCertificates> {
  const now = Date.now();
  const times = { fromMs: now - HOUR_MS, untilMs: now + HOUR_MS };
  const authority = createAuthority(NAME, times);
  const issuer = { ...authority, name: NAME };
  const server = createServerCertificate(issuer, "etcd", ["127.0.0.1"], times);
  const client = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = readName(sequence(set(sequence(objectIdentifier(COMMON_NAME), utf8(user)))), {
    allStrings: true,
  });
  const texts: Readonly<Record<keyof EtcdCertificates, string>> = {
    ca: authority.pem,
    cert: server.pem,
    key: pem(server.key),
    clientCert: createClientCertificate(issuer, { subject, publicKey: client.publicKey }, times),
    clientKey: pem(client.privateKey),
  };
  const write = async (name: keyof EtcdCertificates): Promise<string> => {
    const path = join(folder, `${name}.pem`);
    await writeFile(path, texts[name]);
    return path;
  };
  return {
    ca: await write("ca"),
    cert: await write("cert"),
    key: await write("key"),
    clientCert: await write("clientCert"),
    clientKey: await write("clientKey"),
  };
}
