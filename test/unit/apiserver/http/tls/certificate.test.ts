import { X509Certificate } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bits,
  integer,
  objectIdentifier,
  octets,
  sequence,
  time,
} from "../../../../../src/apimachinery/go/der.ts";
import { CredentialsError } from "../../../../../src/apiserver/authentication/token-file.ts";
import {
  createAuthority,
  createServerCertificate,
} from "../../../../../src/apiserver/http/tls/certificate.ts";
import { openTls } from "../../../../../src/apiserver/http/tls/self-made.ts";

const NOW = Date.parse("2030-06-01T12:00:00Z");
const YEAR = 365 * 24 * 3600 * 1000;
const times = { fromMs: NOW, untilMs: NOW + YEAR };

describe("DER", () => {
  it.each([
    ["an identifier", objectIdentifier("1.2.840.10045.4.3.2"), "06082a8648ce3d040302"],
    ["a number", integer(Buffer.from([0, 0, 5])), "020105"],
    ["a number whose first bit is set", integer(Buffer.from([0x80])), "02020080"],
    ["zero", integer(Buffer.from([0, 0])), "020100"],
    ["bits", bits(Buffer.from([0b00000110]), 1), "03020106"],
    ["a time of this half of the century", time(NOW), `170d${Buffer.from("300601120000Z").toString("hex")}`],
    [
      "a later time",
      time(Date.parse("2050-01-01T00:00:00Z")),
      `180f${Buffer.from("20500101000000Z").toString("hex")}`,
    ],
  ])("%s", (_what, bytes, hex) => {
    expect(bytes.toString("hex")).toBe(hex);
  });

  it.each([
    [127, "047f"],
    [128, "048180"],
    [255, "0481ff"],
    [256, "04820100"],
    [70_000, "0483011170"],
  ])("%i bytes have their length in front", (length, hex) => {
    const bytes = octets(Buffer.alloc(length));
    expect(bytes.subarray(0, hex.length / 2).toString("hex")).toBe(hex);
    expect(bytes.length).toBe(hex.length / 2 + length);
  });

  it("nests", () => {
    expect(sequence(sequence(), octets(Buffer.from([1]))).toString("hex")).toBe("30053000040101");
  });
});

describe("a certificate authority of our own", () => {
  const authority = createAuthority("test ca", times);
  const certificate = new X509Certificate(authority.pem);

  it("signs itself and says what it is", () => {
    expect(certificate.ca).toBe(true);
    expect(certificate.subject).toBe("CN=test ca");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(authority.key)).toBe(true);
    expect(Date.parse(certificate.validFrom)).toBe(NOW);
    expect(Date.parse(certificate.validTo)).toBe(NOW + YEAR);
  });

  it("signs servers for names and addresses of both families", () => {
    const issuer = { ...authority, name: "test ca" };
    const hosts = ["localhost", "10.0.0.1", "fd00::1"];
    const server = new X509Certificate(createServerCertificate(issuer, "server", hosts, times).pem);
    expect(server.ca).toBe(false);
    expect(server.checkIssued(certificate)).toBe(true);
    expect(server.verify(certificate.publicKey)).toBe(true);
    expect(server.checkHost("localhost")).toBe("localhost");
    expect(server.checkHost("other")).toBeUndefined();
    expect(server.checkIP("10.0.0.1")).toBe("10.0.0.1");
    expect(server.checkIP("fd00::1")).toBe("fd00::1");
    expect(server.checkIP("10.0.0.2")).toBeUndefined();
    expect(server.serialNumber).not.toBe(certificate.serialNumber);
  });
});

describe("what is kept of it", () => {
  let folder: string;
  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "egret-tls-")), "pki");
  });
  afterAll(() => rm(join(folder, ".."), { recursive: true, force: true }));
  const open = (more = {}) => openTls({ folder, listenHost: "127.0.0.1", nowMs: NOW, ...more });

  it("is the authority, with a key that only its owner reads; servers' certificates are new each time", async () => {
    const first = await open();
    const second = await open();
    expect(second.authority).toBe(first.authority);
    expect(second.adminToken).toBe(first.adminToken);
    expect(second.certificate).not.toBe(first.certificate);
    expect((await stat(join(folder, "ca.key"))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(first.adminToken).toMatch(/^[\w-]{43}$/);
  });

  it("is nothing without a folder", async () => {
    const first = await open({ folder: undefined });
    const second = await open({ folder: undefined });
    expect(second.adminToken).not.toBe(first.adminToken);
  });

  it("holds for the host that the server listens on", async () => {
    const { certificate } = await open({ listenHost: "192.0.2.7" });
    expect(new X509Certificate(certificate).checkIP("192.0.2.7")).toBe("192.0.2.7");
  });

  it("is refused when it has expired, is incomplete, or does not fit together", async () => {
    const [certificate, key] = [join(folder, "ca.crt"), join(folder, "ca.key")];
    const [kept, keptKey] = [await readFile(certificate, "utf8"), await readFile(key, "utf8")];
    await expect(open({ nowMs: NOW + 11 * YEAR })).rejects.toThrow("has expired");
    await writeFile(certificate, createAuthority("another", times).pem);
    await expect(open()).rejects.toThrow("do not belong together");
    await writeFile(certificate, "nonsense");
    await expect(open()).rejects.toThrow(CredentialsError);
    await writeFile(certificate, kept);
    await writeFile(key, "nonsense");
    await expect(open()).rejects.toThrow("holds no private key");
    await rm(key);
    await expect(open()).rejects.toThrow("only one of");
    await writeFile(key, keptKey);
    await chmod(key, 0o600);
    await expect(open()).resolves.toMatchObject({ authority: kept });
  });
});
