import { z } from "zod";
import { SCOPES } from "~/account/tokens/scopes";
import type { SiteIdentity } from "~/server/site-origin.server";
import { API_PATH, type Operation } from "./operation";
import { OPERATIONS } from "./operations.server";
import { problem } from "./schemas";

interface JsonSchema {
  type?: string;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  description?: string;
  default?: unknown;
}

/** The JSON Schema of what is sent (`input`) or answered (`output`). */
function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest as JsonSchema;
}

/** What the API takes and answers, for programs (OpenAPI 3.1), made of the schemas that hold requests to it. */
export function openApiDocument({ name, origin }: SiteIdentity) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = describe(operation);
  }
  return {
    openapi: "3.1.0",
    info: { title: `${name}: API`, version: "1" },
    servers: [{ url: origin + API_PATH }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "Made in the studio: /admin/tokens" },
      },
      schemas: { Problem: schemaOf(problem, "output") },
    },
  };
}

function describe(operation: Operation<never, never>) {
  const { name, summary, scope, status, body, answer } = operation;
  return {
    operationId: name,
    summary,
    description: `Needs the scope \`${scope}\`: ${SCOPES[scope].toLowerCase()}.`,
    parameters: parametersOf(operation),
    ...(body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: schemaOf(body, "input") } },
      },
    }),
    responses: {
      [status]: {
        description: "Done.",
        ...(answer && { content: { "application/json": { schema: schemaOf(answer, "output") } } }),
      },
      default: {
        description: "Not done, and why (RFC 9457).",
        content: {
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
        },
      },
    },
  };
}

function parametersOf({ path, method, query, body, name }: Operation<never, never>) {
  const { properties = {} } = query ? schemaOf(query, "input") : {};
  const text = { type: "string" };
  return [
    ...(path.includes("{id}") ? [{ name: "id", in: "path", required: true, schema: text }] : []),
    ...Object.entries(properties).map(([each, schema]) => ({ name: each, in: "query", schema })),
    ...(name === "changeVideo"
      ? [{ name: "If-Match", in: "header", required: true, schema: text }]
      : []),
    ...(method === "POST" && body
      ? [{ name: "Idempotency-Key", in: "header", required: false, schema: text }]
      : []),
  ];
}

/** A field of a request, as the reference lists it. */
interface ReferenceField {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** One call, as the reference shows it. */
export interface ReferenceEntry {
  name: string;
  method: string;
  path: string;
  summary: string;
  scope: string;
  fields: ReferenceField[];
  example: string;
}

/** The calls of the API for people. */
export function apiReference(): ReferenceEntry[] {
  return OPERATIONS.map(({ name, method, path, summary, scope, body, query, example }) => {
    const schema = body ?? query;
    const fields = schema ? fieldsOf(schemaOf(schema, "input")) : [];
    return { name, method, path: API_PATH + path, summary, scope, fields, example };
  });
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): ReferenceField[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeText(schema),
    required: required.includes(name),
    description: schema.description ?? "",
  }));
}

function typeText({ type, enum: choices, anyOf, items }: JsonSchema): string {
  if (choices) return choices.join(", ");
  if (anyOf) return anyOf.map(typeText).join(" or ");
  if (items) return `list of ${typeText(items)}`;
  return type ?? "anything";
}
