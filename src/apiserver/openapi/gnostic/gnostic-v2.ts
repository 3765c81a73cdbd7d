// The messages of openapi.v2 (gnostic), as far as our document uses them: number, member and form of each field.
import { isObject } from "../../../meta/json.ts";
import {
  any,
  double,
  type EncodeMessage,
  encodeMessage,
  type FieldTable,
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

/** The Swagger 2.0 document in protobuf. Others have their turn meanwhile. */
export function encodeOpenApiV2(document: object): Promise<Buffer> {
  return encodeMessage(DOCUMENT, document);
}

const schema = message(() => SCHEMA);
const schemas = message(() => pairs(1, schema));

const TYPE: EncodeMessage = (value, out) => text(1, value, out);

const ITEMS: EncodeMessage = (value, out) => schema(1, value, out);

const ADDITIONAL_PROPERTIES: EncodeMessage = (value, out) => {
  if (typeof value === "boolean") flag(2, value, out);
  else schema(1, value, out);
};

const SCHEMA: EncodeMessage = record(
  [
    [1, "$ref", text],
    [2, "format", text],
    [3, "title", text],
    [4, "description", text],
    [6, "multipleOf", double],
    [7, "maximum", double],
    [8, "exclusiveMaximum", flag],
    [9, "minimum", double],
    [10, "exclusiveMinimum", flag],
    [11, "maxLength", integer],
    [12, "minLength", integer],
    [13, "pattern", text],
    [14, "maxItems", integer],
    [15, "minItems", integer],
    [16, "uniqueItems", flag],
    [17, "maxProperties", integer],
    [18, "minProperties", integer],
    [19, "required", list(text)],
    [20, "enum", list(any)],
    [21, "additionalProperties", message(() => ADDITIONAL_PROPERTIES)],
    [22, "type", message(() => TYPE)],
    [23, "items", message(() => ITEMS)],
    [25, "properties", schemas],
  ],
  31,
);

const BODY_PARAMETER = record(
  [
    [1, "description", text],
    [2, "name", text],
    [3, "in", text],
    [4, "required", flag],
    [5, "schema", schema],
  ],
  6,
);

const PLACED: FieldTable = [
  [1, "required", flag],
  [2, "in", text],
  [3, "description", text],
  [4, "name", text],
];

const QUERY_PARAMETER = record([...PLACED, [6, "type", text], [20, "uniqueItems", flag]], 23);
const PATH_PARAMETER = record([...PLACED, [5, "type", text], [19, "uniqueItems", flag]], 22);

const queryParameter = message(() => QUERY_PARAMETER);
const pathParameter = message(() => PATH_PARAMETER);
const bodyParameter = message(() => BODY_PARAMETER);

const NON_BODY_PARAMETER: EncodeMessage = (value, out) => {
  if (isObject(value) && value["in"] === "path") pathParameter(4, value, out);
  else queryParameter(3, value, out);
};

const nonBodyParameter = message(() => NON_BODY_PARAMETER);

const PARAMETER: EncodeMessage = (value, out) => {
  if (isObject(value) && value["in"] === "body") bodyParameter(1, value, out);
  else nonBodyParameter(2, value, out);
};

const parameter = message(() => PARAMETER);

const REFERENCE: EncodeMessage = (value, out) => {
  if (isObject(value)) text(1, value["$ref"], out);
};

const reference = message(() => REFERENCE);

const PARAMETERS_ITEM: EncodeMessage = (value, out) => {
  if (isObject(value) && "$ref" in value) reference(2, value, out);
  else parameter(1, value, out);
};

const parameters = list(message(() => PARAMETERS_ITEM));

const SCHEMA_ITEM: EncodeMessage = (value, out) => schema(1, value, out);

const RESPONSE = record(
  [
    [1, "description", text],
    [2, "schema", message(() => SCHEMA_ITEM)],
  ],
  5,
);

const response = message(() => RESPONSE);

const RESPONSE_VALUE: EncodeMessage = (value, out) => response(1, value, out);

const OPERATION = record(
  [
    [1, "tags", list(text)],
    [3, "description", text],
    [5, "operationId", text],
    [6, "produces", list(text)],
    [7, "consumes", list(text)],
    [8, "parameters", parameters],
    [
      9,
      "responses",
      message(() =>
        pairs(
          1,
          message(() => RESPONSE_VALUE),
        ),
      ),
    ],
    [10, "schemes", list(text)],
  ],
  13,
);

const operation = message(() => OPERATION);

const PATH_ITEM = record(
  [
    [2, "get", operation],
    [3, "put", operation],
    [4, "post", operation],
    [5, "delete", operation],
    [8, "patch", operation],
    [9, "parameters", parameters],
  ],
  10,
);

const API_KEY_SECURITY = record(
  [
    [1, "type", text],
    [2, "name", text],
    [3, "in", text],
    [4, "description", text],
  ],
  5,
);

const apiKeySecurity = message(() => API_KEY_SECURITY);

const SECURITY_ITEM: EncodeMessage = (value, out) => apiKeySecurity(2, value, out);

const STRING_ARRAY: EncodeMessage = (value, out) => list(text)(1, value, out);

const INFO = record(
  [
    [1, "title", text],
    [2, "version", text],
  ],
  7,
);

const DOCUMENT = recordInTurns([
  [1, "swagger", text],
  [2, "info", message(() => INFO)],
  [
    8,
    "paths",
    messageInTurns(
      pairsInTurns(
        2,
        message(() => PATH_ITEM),
      ),
    ),
  ],
  [9, "definitions", messageInTurns(pairsInTurns(1, schema))],
  [10, "parameters", message(() => pairs(1, parameter))],
  [
    12,
    "security",
    list(
      message(() =>
        pairs(
          1,
          message(() => STRING_ARRAY),
        ),
      ),
    ),
  ],
  [
    13,
    "securityDefinitions",
    message(() =>
      pairs(
        1,
        message(() => SECURITY_ITEM),
      ),
    ),
  ],
]);
