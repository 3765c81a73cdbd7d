// Protobuf request bodies: after decoding and encoding once, the result does not change any more.
import {
  decodeProtobuf,
  encodeProtobuf,
  toProtobuf,
} from "../../../../src/apiserver/endpoints/protobuf/codec.ts";
import { ProtobufDecodeError } from "../../../../src/apiserver/endpoints/protobuf/value-types.ts";
import { mustHold, type ParserTarget } from "../target.ts";

const OBJECTS = [
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", namespace: "b", labels: { a: "b" }, creationTimestamp: "2024-01-01T00:00:00Z" },
    spec: {
      containers: [
        { name: "c", image: "i", resources: { limits: { cpu: "100m" } }, ports: [{ containerPort: 80 }] },
      ],
      tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 5 }],
    },
  },
  { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { key: "dmFsdWU=" } },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: { selector: { matchLabels: { a: "b" } }, strategy: { rollingUpdate: { maxSurge: "25%" } } },
  },
];
const UNKNOWN = { apiVersion: "", kind: "" };

export const PROTOBUF_TARGET: ParserTarget = {
  seeds: () => OBJECTS.map(toProtobuf),
  tokens: [
    "k8s\0",
    "\x0a",
    "\x12",
    "\x1a",
    "\x0b",
    "\x0c",
    "v1",
    "Pod",
    "Secret",
    "100m",
    "2024-01-01T00:00:00Z",
  ],
  run(input) {
    const { apiVersion, kind, value } = decodeProtobuf(input, UNKNOWN);
    const encoded = encodeProtobuf(apiVersion, kind, value);
    const again = encodeProtobuf(apiVersion, kind, decodeProtobuf(encoded, UNKNOWN).value);
    mustHold(again.equals(encoded), "what was decoded is encoded the same once it has been encoded");
  },
  isExpected: (error) => error instanceof ProtobufDecodeError,
};
