import { STATUS_CODES } from "node:http";

/** What is wrong with one field of a request. */
export interface FieldProblem {
  field: string;
  detail: string;
}

/** Why a request was not done, as problem details (RFC 9457). */
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

/** The answer. Its type is `about:blank`: the status says what kind of problem it is. */
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

/** What is wrong with fields, as the studio's forms say it. */
export function fieldProblems(fields: Partial<Record<string, string>>): FieldProblem[] {
  return Object.entries(fields).flatMap(([field, detail]) => (detail ? [{ field, detail }] : []));
}
