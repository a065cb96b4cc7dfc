import { STATUS_CODES } from "node:http";

/** A problem with one field of a request. */
export interface FieldProblem {
  field: string;
  detail: string;
}

/** The reason why a request failed, as problem details (RFC 9457). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly errors: readonly FieldProblem[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
  }
}

/** Returns the response. The problem's type is `about:blank`, because the status identifies the kind of problem. */
export function problemResponse({ status, detail, errors, headers }: Problem): Response {
  const title = STATUS_CODES[status] ?? "Error";
  const body = {
    ...{ type: "about:blank", title, status, detail },
    ...(errors.length > 0 && { errors }),
  };
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: {
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
      ...headers,
    },
  });
}

/** Converts field errors, as reported by the studio's forms, to the problems in an API response. */
export function fieldProblems(fields: Partial<Record<string, string>>): FieldProblem[] {
  return Object.entries(fields).flatMap(([field, detail]) => (detail ? [{ field, detail }] : []));
}
