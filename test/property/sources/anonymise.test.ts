// Properties of replaced names: the mapping is one-to-one, networks stay networks, names stay valid names.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cidrOf, ipFromValue, parseIp } from "../../../src/apimachinery/meta/ip.ts";
import { anonymiser } from "../../../src/features/import/sources/anonymise/anonymise.ts";
import { isPublicWord } from "../../../src/features/import/sources/anonymise/public-words.ts";

const { text } = anonymiser("laws");
const v4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((value) => ipFromValue(4, value));
const v6 = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map((value) => ipFromValue(6, value));
const isMapped = ({ value }: { value: bigint }) => value >> 32n !== 0xffffn;

/** The number of common prefix bits of two addresses. */
function shared(a: bigint, b: bigint, bits: number): number {
  const difference = a ^ b;
  return difference === 0n ? bits : bits - difference.toString(2).length;
}
const numberOf = (address: string) => parseIp(address)?.value ?? -1n;

describe("addresses", () => {
  test.each([["IPv4", v4, 32] as const, ["IPv6", v6.filter(isMapped), 128] as const])(
    "share as many bits as before (%s)",
    (_family, address, bits) => {
      const near = fc.tuple(address, fc.nat(bits - 1), address).map(([one, length, other]) => {
        const low = (1n << BigInt(bits - length)) - 1n;
        return [one, ipFromValue(one.family, (one.value & ~low) | (other.value & low))] as const;
      });
      fc.assert(
        fc.property(near, ([one, other]) => {
          const [a, b] = [numberOf(text(one.text)), numberOf(text(other.text))];
          expect(a).toBeGreaterThanOrEqual(0n);
          expect(shared(a, b, bits)).toBe(shared(one.value, other.value, bits));
        }),
        { numRuns: 150 },
      );
    },
  );

  test("of a network are those of a network that holds what it held", () => {
    fc.assert(
      fc.property(
        v4,
        fc.integer({ min: 1, max: 31 }),
        fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
        (ip, prefix, host) => {
          const network = cidrOf(ip, prefix);
          const inside = ipFromValue(4, network.first | (host & (network.last - network.first)));
          const mapped = text(network.text);
          const [base = ""] = mapped.split("/");
          const again = cidrOf(ipFromValue(4, numberOf(base)), prefix);
          expect(again.text).toBe(mapped);
          const value = numberOf(text(inside.text));
          expect(value >= again.first && value <= again.last).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  test.each([
    ["10.1.2.3", /^10\./],
    ["172.20.1.1", /^172\.(1[6-9]|2\d|3[01])\./],
    ["192.168.126.5", /^192\.168\./],
    ["fd00:1:2::3", /^fd/],
    ["fe80::858:aff:fe80:1", /^fe80::/],
    ["127.0.0.1", /^127\.0\.0\.1$/],
    ["169.254.169.29", /^169\.254\.169\.29$/],
    ["100.64.0.5", /^100\.64\.0\.5$/],
    ["0.0.0.0/0", /^0\.0\.0\.0\/0$/],
    ["::/0", /^::\/0$/],
    ["224.0.0.1", /^224\.0\.0\.1$/],
    ["::1", /^::1$/],
  ])("of blocks that mean something stay there: %s", (address, where) => {
    expect(text(address)).toMatch(where);
  });
});

describe("words", () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);

  test("are one for one, of the same length and letters", () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 2, maxLength: 40 }), (words) => {
        const mapped = words.map(text);
        expect(new Set(mapped).size).toBe(words.length);
        for (const [at, one] of words.entries()) {
          expect(mapped[at]?.replace(/[a-z]/g, "a").replace(/\d/g, "0")).toBe(
            one.replace(/[a-z]/g, "a").replace(/\d/g, "0"),
          );
          expect(isPublicWord(mapped[at] ?? "")).toBe(isPublicWord(one));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("make names of names", () => {
    const name = fc.stringMatching(
      /^[a-z]([a-z0-9-]{0,20}[a-z0-9])?(\.[a-z]([a-z0-9-]{0,10}[a-z0-9])?){0,2}$/,
    );
    fc.assert(
      fc.property(name, (given) => {
        expect(text(given)).toMatch(/^[a-z]([a-z0-9.-]*[a-z0-9])?$/);
        expect(text(`${given}-x2k9p`).startsWith(`${text(given)}-`)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
