// The messages of openapi.v3 (gnostic), as far as our documents use them: number, member and form of each field.
import { isObject } from "../../../meta/json.ts";
import {
  any,
  double,
  type EncodeMessage,
  encodeMessage,
  flag,
  integer,
  list,
  message,
  messageInTurns,
  pairs,
  pairsInTurns,
  record,
  recordInTurns,
  text,
} from "./gnostic.ts";

/** An OpenAPI 3.0 document in protobuf. Others have their turn meanwhile. */
export function encodeOpenApiV3(document: object): Promise<Buffer> {
  return encodeMessage(DOCUMENT, document);
}

/** Where a $ref may stand in place of the object. */
function orReference(encode: () => EncodeMessage): EncodeMessage {
  const whole = message(encode);
  const reference = message(() => REFERENCE);
  return (value, out) => {
    if (isObject(value) && "$ref" in value) reference(2, value, out);
    else whole(1, value, out);
  };
}

const REFERENCE: EncodeMessage = (value, out) => {
  if (isObject(value)) text(1, value["$ref"], out);
};

const schemaOrReference = message(() => orReference(() => SCHEMA));
const schemas = message(() => pairs(1, schemaOrReference));

const ITEMS: EncodeMessage = (value, out) => schemaOrReference(1, value, out);

const ADDITIONAL_PROPERTIES: EncodeMessage = (value, out) => {
  if (typeof value === "boolean") flag(2, value, out);
  else schemaOrReference(1, value, out);
};

/** Defaults that are objects or lists have no place in this form. */
const DEFAULT: EncodeMessage = (value, out) => {
  double(1, value, out);
  flag(2, value, out);
  text(3, value, out);
};

const SCHEMA: EncodeMessage = record(
  [
    [1, "nullable", flag],
    [9, "title", text],
    [10, "multipleOf", double],
    [11, "maximum", double],
    [12, "exclusiveMaximum", flag],
    [13, "minimum", double],
    [14, "exclusiveMinimum", flag],
    [15, "maxLength", integer],
    [16, "minLength", integer],
    [17, "pattern", text],
    [18, "maxItems", integer],
    [19, "minItems", integer],
    [20, "uniqueItems", flag],
    [21, "maxProperties", integer],
    [22, "minProperties", integer],
    [23, "required", list(text)],
    [24, "enum", list(any)],
    [25, "type", text],
    [26, "allOf", list(schemaOrReference)],
    [27, "oneOf", list(schemaOrReference)],
    [28, "anyOf", list(schemaOrReference)],
    [29, "not", message(() => SCHEMA)],
    [30, "items", message(() => ITEMS)],
    [31, "properties", schemas],
    [32, "additionalProperties", message(() => ADDITIONAL_PROPERTIES)],
    [33, "default", message(() => DEFAULT)],
    [34, "description", text],
    [35, "format", text],
  ],
  36,
);

const PARAMETER = record(
  [
    [1, "name", text],
    [2, "in", text],
    [3, "description", text],
    [4, "required", flag],
    [10, "schema", schemaOrReference],
  ],
  14,
);

const MEDIA_TYPE = record([[1, "schema", schemaOrReference]], 5);

const content = message(() =>
  pairs(
    1,
    message(() => MEDIA_TYPE),
  ),
);

const REQUEST_BODY = record(
  [
    [1, "description", text],
    [2, "content", content],
    [3, "required", flag],
  ],
  4,
);

const RESPONSE = record(
  [
    [1, "description", text],
    [3, "content", content],
  ],
  5,
);

const parameters = list(message(() => orReference(() => PARAMETER)));

const OPERATION = record(
  [
    [1, "tags", list(text)],
    [3, "description", text],
    [5, "operationId", text],
    [6, "parameters", parameters],
    [7, "requestBody", message(() => orReference(() => REQUEST_BODY))],
    [
      8,
      "responses",
      message(() =>
        pairs(
          2,
          message(() => orReference(() => RESPONSE)),
        ),
      ),
    ],
  ],
  13,
);

const operation = message(() => OPERATION);

const PATH_ITEM = record(
  [
    [4, "get", operation],
    [5, "put", operation],
    [6, "post", operation],
    [7, "delete", operation],
    [10, "patch", operation],
    [13, "parameters", parameters],
  ],
  14,
);

const SECURITY_SCHEME = record(
  [
    [1, "type", text],
    [2, "description", text],
    [3, "name", text],
    [4, "in", text],
  ],
  9,
);

const COMPONENTS = recordInTurns([
  [1, "schemas", messageInTurns(pairsInTurns(1, schemaOrReference))],
  [
    7,
    "securitySchemes",
    message(() =>
      pairs(
        1,
        message(() => orReference(() => SECURITY_SCHEME)),
      ),
    ),
  ],
]);

const INFO = record(
  [
    [1, "title", text],
    [6, "version", text],
  ],
  7,
);

const DOCUMENT = recordInTurns([
  [1, "openapi", text],
  [2, "info", message(() => INFO)],
  [
    4,
    "paths",
    messageInTurns(
      pairsInTurns(
        1,
        message(() => PATH_ITEM),
      ),
    ),
  ],
  [5, "components", messageInTurns(COMPONENTS)],
]);
