// Client certificates: no request results in the group system:masters, whatever string types and repetitions its subject
// contains. A certificate authenticates exactly the user and the groups that were checked when it was signed.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  encodeSubject,
  makeRequest,
  type NamePart,
  newKey,
  OID,
  requestPem,
} from "../support/certificate-requests.ts";
import { makeCertificate, type TestCertificate, USAGE } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { type HttpsOptions, sendOverTls } from "../support/sockets/https-request.ts";
import { type BuiltServer, startBuiltServer } from "./built-server.ts";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const SIGNER = "kubernetes.io/kube-apiserver-client";
const MASTERS = "system:masters";

const part = (oid: string, value: string | Buffer, type: NamePart["type"] = "utf8"): NamePart => ({
  oid,
  type,
  value,
});
const cn = (value: string | Buffer, type?: NamePart["type"]) => part(OID.commonName, value, type);
const o = (value: string | Buffer, type?: NamePart["type"]) => part(OID.organization, value, type);

let folder: string;
let server: BuiltServer;
let authority: TestCertificate;
const send = (path: string, options: HttpsOptions = {}) => sendOverTls(server.url + path, options);
const admin = (method: string, path: string, body?: unknown) => send(path, { method, token: "root", body });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-certificates-"));
  server = await startBuiltServer(["--secure", "--data-dir", folder, "--controllers=csrsigning"]);
  authority = await readAuthority(join(folder, "pki"));
}, 60_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the server's own CA, to sign what its signer rejects. */
async function readAuthority(pki: string): Promise<TestCertificate> {
  const [pem, keyPem] = await Promise.all(
    ["ca.crt", "ca.key"].map((file) => readFile(join(pki, file), "utf8")),
  );
  const subject = encodeSubject(cn("egret-ca"));
  return {
    pem: pem ?? "",
    der: Buffer.alloc(0),
    key: createPrivateKey(keyPem ?? ""),
    keyPem: keyPem ?? "",
    subject,
  };
}

let requests = 0;
const requestFor = (der: Buffer) => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: `attack-${++requests}` },
  spec: {
    request: Buffer.from(requestPem(der)).toString("base64"),
    signerName: SIGNER,
    usages: ["client auth"],
  },
});

/** Returns the certificate in PEM, or the reason of the rejection. */
async function approved(request: ReturnType<typeof requestFor>): Promise<string> {
  const path = `${REQUESTS}/${request.metadata.name}`;
  const made = await admin("POST", REQUESTS, request);
  if (made.status !== 201) throw new Refused(made.status, JSON.parse(made.text).message);
  const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "" }];
  await admin("PUT", `${path}/approval`, { ...JSON.parse(made.text), status: { conditions } });
  const read = async (): Promise<string> =>
    JSON.parse((await admin("GET", path)).text).status.certificate ?? "";
  const certificate = await eventually(read, (text) => text !== "");
  return Buffer.from(certificate, "base64").toString();
}

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns the status of the created request, and the user that the certificate authenticates. */
async function signed(subject: Buffer): Promise<object> {
  const key = newKey();
  try {
    const cert = await approved(requestFor(makeRequest(subject, { key })));
    return { status: 201, user: await userOf(cert, key) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, message: error.message };
  }
}

const REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

async function userOf(cert: string, key: KeyObject): Promise<object> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const keyPem = key.export({ type: "pkcs8", format: "pem" }).toString();
  const { status, text } = await send(REVIEW, { method: "POST", body, cert, key: keyPem });
  if (status !== 201) return { status };
  const { username, groups } = JSON.parse(text).status.userInfo;
  return { username, groups };
}

const REFUSED = {
  status: 403,
  message: expect.stringMatching(
    /^certificatesigningrequests\.certificates\.k8s\.io "attack-\d+" is forbidden: use of kubernetes\.io\/kube-apiserver-client signer with system:masters group is not allowed$/,
  ),
};

describe("a request for a certificate with the group system:masters", () => {
  test.each<[string, Buffer]>([
    ["UTF8String", encodeSubject(cn("a"), o(MASTERS))],
    ["PrintableString", encodeSubject(cn("a"), o(MASTERS, "printable"))],
    ["IA5String", encodeSubject(cn("a"), o(MASTERS, "ia5"))],
    ["T61String", encodeSubject(cn("a"), o(MASTERS, "t61"))],
    ["BMPString", encodeSubject(cn("a"), o(MASTERS, "bmp"))],
    ["BMPString with a terminator", encodeSubject(cn("a"), o(`${MASTERS}\0`, "bmp"))],
    ["second place of one set", encodeSubject(cn("a"), [o("dev"), o(MASTERS, "bmp")])],
    ["same set as the name", encodeSubject([cn("a"), o(MASTERS)])],
  ])("in a %s is refused", async (_type, subject) => {
    expect(await signed(subject)).toEqual(REFUSED);
  });

  test.each<[string, Buffer]>([
    ["UniversalString", encodeSubject(cn("a"), o(MASTERS, "universal"))],
    ["GeneralString", encodeSubject(cn("a"), o(MASTERS, "general"))],
    ["VisibleString", encodeSubject(cn("a"), o(MASTERS, "visible"))],
  ])("in a %s, which Go does not read, is signed without it", async (_type, subject) => {
    expect(await signed(subject)).toEqual({
      status: 201,
      user: { username: "a", groups: ["system:authenticated"] },
    });
  });

  test.each<[string, Buffer]>([
    ["wrong UTF-8", encodeSubject(cn("a"), o(Buffer.from([0xc0, 0xaf])))],
    ["half a letter of two bytes", encodeSubject(cn("a"), o(Buffer.from([0, 115, 0]), "bmp"))],
    ["surrogates", encodeSubject(cn("a"), o(Buffer.from("d800dc00", "hex"), "bmp"))],
    ["letters outside of PrintableString", encodeSubject(cn("a"), o("system_masters", "printable"))],
  ])("or with %s is no request", async (_what, subject) => {
    expect(await signed(subject)).toMatchObject({ status: 422 });
  });

  test("is no group with a zero byte at its end", async () => {
    expect(await signed(encodeSubject(cn("a"), o(`${MASTERS}\0`)))).toEqual({
      status: 201,
      user: { username: "a", groups: [`${MASTERS}\0`, "system:authenticated"] },
    });
  });
});

describe("the user of a certificate", () => {
  test("is the last name of the request, as it was checked", async () => {
    expect(await signed(encodeSubject(cn("system:admin"), cn("a"), o("dev")))).toEqual({
      status: 201,
      user: { username: "a", groups: ["dev", "system:authenticated"] },
    });
  });

  const own = (subject: Buffer, usages: readonly string[] = [USAGE.client]) => {
    const { pem, key } = makeCertificate({ subject, issuer: authority, usages });
    return userOf(pem, key);
  };

  test("is the last name of a certificate that was made elsewhere", async () => {
    expect(await own(encodeSubject(cn("system:admin"), cn("a", "bmp")))).toEqual({
      username: "a",
      groups: ["system:authenticated"],
    });
  });

  test.each<[string, () => Promise<object>]>([
    ["for servers", () => own(encodeSubject(cn("a")), [USAGE.server])],
    ["with a type of string that Go refuses", () => own(encodeSubject(cn("a"), o("dev", "universal")))],
    [
      "of another authority of the same name",
      () => {
        const issuer = makeCertificate({ subject: authority.subject, ca: true });
        const { pem, key } = makeCertificate({ subject: "a", issuer, usages: [USAGE.client] });
        return userOf(pem, key);
      },
    ],
    [
      "that is signed with a client's certificate",
      () => {
        const client = makeCertificate({
          subject: "a",
          issuer: authority,
          usages: [USAGE.client],
          ca: false,
        });
        const { pem, key } = makeCertificate({ subject: "b", issuer: client, usages: [USAGE.client] });
        return userOf(pem + client.pem, key);
      },
    ],
    [
      "that has expired",
      () => {
        const untilMs = Date.now() - 1000;
        const { pem, key } = makeCertificate({
          subject: "a",
          issuer: authority,
          usages: [USAGE.client],
          untilMs,
        });
        return userOf(pem, key);
      },
    ],
  ])("is not authenticated by a certificate %s", async (_what, user) => {
    expect(await user()).toEqual({ status: 401 });
  });

  test("is no authority, whatever the request asks for", async () => {
    const key = newKey();
    const extensions = { "2.5.29.19": Buffer.from("30030101ff", "hex") };
    const request = requestFor(makeRequest(encodeSubject(cn("a")), { key, extensions }));
    const certificate = new X509Certificate(await approved(request));
    expect([certificate.ca, certificate.subject]).toEqual([false, "CN=a"]);
  });
});
