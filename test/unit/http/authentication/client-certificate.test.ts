import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { certificateHolder } from "../../../../src/http/authentication/authenticator.ts";

/** A connection as TLS shows it. */
function connection(subject: object | undefined, authorized = true) {
  const looks = { count: 0 };
  const socket = {
    authorized,
    getPeerCertificate() {
      looks.count++;
      return subject === undefined ? {} : { subject, fingerprint256: "0A:FF:01" };
    },
  } as unknown as Socket; // no more of it is looked at
  return { socket, looks };
}

const credential = { "authentication.kubernetes.io/credential-id": ["X509SHA256=0aff01"] };

it.each([
  ["a name and groups", { CN: "alice", O: ["dev", "ops"] }, { name: "alice", groups: ["dev", "ops"] }],
  ["one group", { CN: "alice", O: "dev" }, { name: "alice", groups: ["dev"] }],
  ["no group", { CN: "alice" }, { name: "alice", groups: [] }],
])("a certificate with %s", (_what, subject, user) => {
  expect(certificateHolder(connection(subject).socket)).toEqual({ ...user, extra: credential });
});

it.each([
  ["of another authority", { CN: "alice" }, false],
  ["without a name", { O: "dev" }, true],
])("a certificate %s is refused", (_what, subject, authorized) => {
  expect(certificateHolder(connection(subject, authorized).socket)).toBe("refused");
});

it("none names nobody, and neither does a connection that is not secure", () => {
  expect(certificateHolder(connection(undefined).socket)).toBeUndefined();
  expect(certificateHolder({} as Socket)).toBeUndefined();
});

it("a connection is looked at once", () => {
  const { socket, looks } = connection({ CN: "alice" });
  certificateHolder(socket);
  certificateHolder(socket);
  expect(looks.count).toBe(1);
});
