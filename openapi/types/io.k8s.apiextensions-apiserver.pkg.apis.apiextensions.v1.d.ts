// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** One column that kubectl get shows. */
export interface CustomResourceColumnDefinition {
  /** What the column says. */
  description?: string;
  /** Format of the value, as in OpenAPI. */
  format?: string;
  /** Where in the object the value is. */
  jsonPath?: string;
  /** Heading of the column. */
  name?: string;
  /** 0 is always shown, higher only in the wide form. */
  priority?: number;
  /** Type of the value: string, integer, number, boolean or date. */
  type?: string;
}

/** How objects are converted between versions. */
export interface CustomResourceConversion {
  /** None changes only apiVersion, Webhook asks a service. */
  strategy?: string;
  /** The service to ask; only for Webhook. */
  webhook?: WebhookConversion;
}

/** Adds a type of objects to the API. */
export interface CustomResourceDefinition {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "apiextensions.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "CustomResourceDefinition";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What the new type is like. */
  spec?: CustomResourceDefinitionSpec;
  /** What became of the new type. */
  status?: CustomResourceDefinitionStatus;
}

/** One named state of a custom type, such as Established. */
export interface CustomResourceDefinitionCondition {
  /** When the status of this condition last changed. */
  lastTransitionTime?: Time;
  /** Explanation for people. */
  message?: string;
  /** Generation that the condition speaks of. */
  observedGeneration?: number;
  /** Short word for machines that says why. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the condition. */
  type?: string;
}

/** The names of a custom type. */
export interface CustomResourceDefinitionNames {
  /** Group words such as all under which kubectl finds the type. */
  categories?: string[];
  /** Name of the type in CamelCase, singular. */
  kind?: string;
  /** Name of the list type; the kind with List if left out. */
  listKind?: string;
  /** Word in URLs, lower case plural. */
  plural?: string;
  /** Abbreviations for kubectl. */
  shortNames?: string[];
  /** Lower case singular; the kind in lower case if left out. */
  singular?: string;
}

/** What a custom type is like. */
export interface CustomResourceDefinitionSpec {
  /** How objects are converted between versions. */
  conversion?: CustomResourceConversion;
  /** API group of the type; the object's name is PLURAL.GROUP. */
  group?: string;
  /** The names of the type. */
  names?: CustomResourceDefinitionNames;
  /** Must be false; unknown fields are kept by the schema's own mark instead. */
  preserveUnknownFields?: boolean;
  /** Namespaced or Cluster. */
  scope?: string;
  /** All versions of the type. */
  versions: CustomResourceDefinitionVersion[];
}

/** What became of a custom type. */
export interface CustomResourceDefinitionStatus {
  /** The names that are in use. */
  acceptedNames?: CustomResourceDefinitionNames;
  /** Named states of this object, each True, False or Unknown. */
  conditions?: CustomResourceDefinitionCondition[];
  /** Generation that this status speaks of. */
  observedGeneration?: number;
  /** Versions in which objects have ever been stored. */
  storedVersions?: string[];
}

/** One version of a custom type. */
export interface CustomResourceDefinitionVersion {
  /** Columns that kubectl get shows. */
  additionalPrinterColumns?: CustomResourceColumnDefinition[];
  /** Whether use of this version earns a warning. */
  deprecated?: boolean;
  /** Text of that warning. */
  deprecationWarning?: string;
  /** Name of the version, for example v1alpha1. */
  name?: string;
  /** What objects of this version look like. */
  schema?: CustomResourceValidation;
  /** Fields that field selectors may use. */
  selectableFields?: SelectableField[];
  /** Whether the API answers for this version. */
  served?: boolean;
  /** Whether objects are stored in this version; true for exactly one. */
  storage?: boolean;
  /** Subresources that objects of this version have. */
  subresources?: CustomResourceSubresources;
}

/** Asks for /scale, and says where its values are. */
export interface CustomResourceSubresourceScale {
  /** Where in status the label selector stands as text. */
  labelSelectorPath?: string;
  /** Where in spec the wanted number stands. */
  specReplicasPath?: string;
  /** Where in status the present number stands. */
  statusReplicasPath?: string;
}

/** Asks for /status; has no settings. */
export type CustomResourceSubresourceStatus = { [field: string]: unknown };

/** Subresources of a custom type. */
export interface CustomResourceSubresources {
  /** Adds /scale. */
  scale?: CustomResourceSubresourceScale;
  /** Adds /status and splits spec from status. */
  status?: CustomResourceSubresourceStatus;
}

/** What objects look like. */
export interface CustomResourceValidation {
  /** Structural schema that objects are checked and pruned with. */
  openAPIV3Schema?: JSONSchemaProps;
}

/** Where more is written. */
export interface ExternalDocumentation {
  /** What is written there. */
  description?: string;
  /** Address of the document. */
  url?: string;
}

/** Any JSON value. */
export type JSON = unknown;

/** A JSON schema as a custom type may use it. */
export interface JSONSchemaProps {
  /** Not allowed in a structural schema. */
  $ref?: string;
  /** Dialect of the schema. */
  $schema?: string;
  /** Not allowed in a structural schema. */
  additionalItems?: JSONSchemaPropsOrBool;
  /** Schema of all values of a map; excludes properties. */
  additionalProperties?: JSONSchemaPropsOrBool;
  /** Schemas that all have to hold. */
  allOf?: JSONSchemaProps[];
  /** Schemas of which one has to hold. */
  anyOf?: JSONSchemaProps[];
  /** Value that a missing field gets. */
  default?: JSON;
  /** Not allowed in a structural schema. */
  definitions?: { [key: string]: JSONSchemaProps };
  /** Not allowed in a structural schema. */
  dependencies?: { [key: string]: JSONSchemaPropsOrStringArray };
  /** Text for people, shown by kubectl explain. */
  description?: string;
  /** The only values allowed. */
  enum?: JSON[];
  /** An example value. */
  example?: JSON;
  /** Whether maximum itself is excluded. */
  exclusiveMaximum?: boolean;
  /** Whether minimum itself is excluded. */
  exclusiveMinimum?: boolean;
  /** Where more is written. */
  externalDocs?: ExternalDocumentation;
  /** Further format of the value, for example date-time; unknown ones are ignored. */
  format?: string;
  /** Not allowed in a structural schema. */
  id?: string;
  /** Schema of the items of a list. */
  items?: JSONSchemaPropsOrArray;
  /** How many items a list may have. */
  maxItems?: number;
  /** How many characters a text may have. */
  maxLength?: number;
  /** How many keys an object may have. */
  maxProperties?: number;
  /** Largest number allowed. */
  maximum?: number;
  /** How many items a list must have. */
  minItems?: number;
  /** How many characters a text must have. */
  minLength?: number;
  /** How many keys an object must have. */
  minProperties?: number;
  /** Smallest number allowed. */
  minimum?: number;
  /** The number must be a multiple of this. */
  multipleOf?: number;
  /** A schema that must not hold. */
  not?: JSONSchemaProps;
  /** Whether null is allowed. */
  nullable?: boolean;
  /** Schemas of which exactly one has to hold. */
  oneOf?: JSONSchemaProps[];
  /** Regular expression that a text must match. */
  pattern?: string;
  /** Not allowed in a structural schema. */
  patternProperties?: { [key: string]: JSONSchemaProps };
  /** Schemas of the fields of an object. */
  properties?: { [key: string]: JSONSchemaProps };
  /** Fields that must be there. */
  required?: string[];
  /** Heading for people. */
  title?: string;
  /** Type of the value: object, array, string, integer, number or boolean. */
  type?: string;
  /** May only be false. */
  uniqueItems?: boolean;
  /** The value is a whole object with apiVersion, kind and metadata. */
  "x-kubernetes-embedded-resource"?: boolean;
  /** The value is a whole number or a text. */
  "x-kubernetes-int-or-string"?: boolean;
  /** Fields that together name an item of a list of type map. */
  "x-kubernetes-list-map-keys"?: string[];
  /** How a list merges: atomic, set or map. */
  "x-kubernetes-list-type"?: string;
  /** How an object merges: granular or atomic. */
  "x-kubernetes-map-type"?: string;
  /** Keeps fields that the schema does not name. */
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** Rules in CEL that have to hold. */
  "x-kubernetes-validations"?: ValidationRule[];
}

/** A schema; a list of schemas is not allowed in a structural schema. */
export type JSONSchemaPropsOrArray = unknown;

/** A schema or a boolean. */
export type JSONSchemaPropsOrBool = unknown;

/** A schema or a list of texts. */
export type JSONSchemaPropsOrStringArray = unknown;

/** A field that field selectors may use. */
export interface SelectableField {
  /** Path of the field; it must be a text, a boolean or an integer. */
  jsonPath?: string;
}

/** A service in the cluster. */
export interface ServiceReference {
  /** Name of the Service. */
  name?: string;
  /** Namespace of the Service. */
  namespace?: string;
  /** Path to ask for. */
  path?: string;
  /** Port of the Service; 443 if left out. */
  port?: number;
}

/** A rule in CEL that has to hold. */
export interface ValidationRule {
  /** Field that the failure is reported at. */
  fieldPath?: string;
  /** Text of the failure. */
  message?: string;
  /** CEL expression that makes the text of the failure. */
  messageExpression?: string;
  /** Runs a rule with oldSelf on creation too, with oldSelf as an optional value. */
  optionalOldSelf?: boolean;
  /** Reason that the failure is reported with. */
  reason?: "FieldValueDuplicate" | "FieldValueForbidden" | "FieldValueInvalid" | "FieldValueRequired";
  /** The CEL expression; self is the value at this place. */
  rule?: string;
}

/** How to reach a webhook; url or service is given. */
export interface WebhookClientConfig {
  /** Certificates, in base64 PEM, that the server certificate must come from. */
  caBundle?: string;
  /** Service in the cluster. */
  service?: ServiceReference;
  /** Address outside the cluster. */
  url?: string;
}

/** A service that converts objects. */
export interface WebhookConversion {
  /** How to reach the service. */
  clientConfig?: WebhookClientConfig;
  /** Versions of ConversionReview that the service knows, best first. */
  conversionReviewVersions: string[];
}
