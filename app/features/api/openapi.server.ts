import { createHash } from "node:crypto";
import { z } from "zod";
import { SCOPES } from "~/features/accounts/tokens/scopes";
import { settings } from "~/platform/settings.server";
import { failedPrecondition } from "~/shared/conditional";
import { processState } from "~db/runtime.server";
import { API_PATH, acceptsIdempotencyKey, type Operation } from "./operation";
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

/** Returns the JSON Schema for a request (`input`) or a response (`output`). */
function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest as JsonSchema;
}

/** Generated only once, because it takes 15 ms. */
const document = processState("OpenAPI document", () => {
  const text = JSON.stringify(openApiDocument());
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  // A weak ETag, because it is the same for compressed and uncompressed responses.
  return { text, validators: { etag: `W/"${digest}"`, lastModified: Date.now() } };
});

/** Responds with the OpenAPI document, which is public. */
export function serveOpenApi(request: Request): Response {
  const { text, validators } = document();
  const headers = new Headers({
    "Cache-Control": "private, no-cache",
    ETag: validators.etag,
    "Last-Modified": new Date(validators.lastModified).toUTCString(),
  });
  const status = failedPrecondition(request.headers, validators);
  if (status) return new Response(null, { status, headers });
  headers.set("Content-Type", "application/json");
  return new Response(request.method === "HEAD" ? null : text, { headers });
}

/** Returns the OpenAPI 3.1 document, generated from the schemas that validate requests. */
export function openApiDocument() {
  const { siteName, publicUrl = "" } = settings();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = describe(operation);
  }
  return {
    openapi: "3.1.0",
    info: { title: `${siteName}: API`, version: "1" },
    // Without PUBLIC_URL, the server URL is relative to the document's URL (OpenAPI 3.1, section 4.8.5).
    servers: [{ url: publicUrl + API_PATH }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "Create a token in the studio at /admin/tokens.",
        },
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
    description: `Requires the scope \`${scope}\`: ${SCOPES[scope].toLowerCase()}.`,
    parameters: parametersOf(operation),
    ...(body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: schemaOf(body, "input") } },
      },
    }),
    responses: {
      [status]: {
        description: "Success.",
        ...(answer && { content: { "application/json": { schema: schemaOf(answer, "output") } } }),
      },
      default: {
        description: "An error as problem details (RFC 9457).",
        content: {
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
        },
      },
    },
  };
}

function parametersOf(operation: Operation<never, never>) {
  const { path, query, name } = operation;
  const { properties = {} } = query ? schemaOf(query, "input") : {};
  const text = { type: "string" };
  return [
    ...(path.includes("{id}") ? [{ name: "id", in: "path", required: true, schema: text }] : []),
    ...Object.entries(properties).map(([each, schema]) => ({ name: each, in: "query", schema })),
    ...(name === "changeVideo"
      ? [{ name: "If-Match", in: "header", required: true, schema: text }]
      : []),
    ...(acceptsIdempotencyKey(operation)
      ? [{ name: "Idempotency-Key", in: "header", required: false, schema: text }]
      : []),
  ];
}

export type ReferenceEntry = ReturnType<typeof apiReference>[number];

/** Returns the operations for the reference page. */
export const apiReference = processState("API reference", () =>
  OPERATIONS.map(({ name, method, path, summary, scope, body, query, example }) => {
    const schema = body ?? query;
    const fields = schema ? fieldsOf(schemaOf(schema, "input")) : [];
    return { name, method, path: API_PATH + path, summary, scope, fields, example };
  }),
);

function fieldsOf({ properties = {}, required = [] }: JsonSchema) {
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
