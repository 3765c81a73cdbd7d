// Tokens of ServiceAccounts: without the key, only tokens that the key has signed are accepted.
import { createPrivateKey } from "node:crypto";
import { createTokenKey, splitToken } from "../../../../src/apiserver/authentication/signing-key.ts";
import { mustHold, type ParserTarget } from "../target.ts";

/** PKCS 8 of an Ed25519 key whose secret repeats one byte 32 times, so that a seed repeats a run. */
const KEY = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, 7)]);
const key = createTokenKey(createPrivateKey({ key: KEY, format: "der", type: "pkcs8" }));
const TOKEN = key.sign({ aud: ["a"], exp: 2e9, iat: 1, iss: "i", sub: "system:serviceaccount:n:a" });

export const JWT_TARGET: ParserTarget = {
  seeds: () => [Buffer.from(TOKEN)],
  tokens: [".", "..", "eyJ", "=", "eyJhbGciOiJub25lIn0", "-", "_", "+", "/", "\n"],
  run(input) {
    const token = input.toString("utf8");
    const parts = splitToken(token);
    const isAccepted = parts !== undefined && key.complaintOf(parts) === undefined;
    mustHold(!isAccepted || token === TOKEN, "only what was signed is accepted, in one encoding");
  },
  isExpected: () => false,
};
