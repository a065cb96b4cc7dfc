import type { z } from "zod";
import type { Scope } from "~/features/accounts/tokens/scopes";
import type { OwnVideos, Permission } from "~/features/permissions/permissions";
import type { SessionUser } from "~/features/permissions/session.server";

export const API_PATH = "/api/v1";

/** A request that may be performed. */
export interface Call<Body, Query> {
  request: Request;
  user: SessionUser;
  scopes: readonly Scope[];
  /** Of an uploader, whose videos are all that there are for them. */
  own: OwnVideos | undefined;
  /** The `{id}` of the address; empty where it has none. */
  id: string;
  body: Body;
  query: Query;
}

/** A request whose change takes more than one transaction, such as one that examines a file. */
interface LongCall<Body, Query> extends Call<Body, Query> {
  /** Records the answer under the request's `Idempotency-Key`, in the transaction that performs the change. */
  recordAnswer(answer: Answer): void;
}

export interface Answer {
  status: 200 | 201 | 204;
  body?: unknown;
  headers?: Record<string, string>;
}

/** One call of the API: what performs it, and its description. */
export type Operation<Body = unknown, Query = unknown> = Description<Body, Query> &
  (
    | {
        /**
         * Performs a change as a part of a transaction, in which the answer is recorded, too. A Problem that it
         * throws rolls the transaction back.
         */
        change(call: Call<Body, Query>): Answer;
      }
    | { perform(call: LongCall<Body, Query>): Promise<Answer | Response> }
  );

interface Description<Body, Query> {
  /** Its name for programs, such as `listVideos`. */
  name: string;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/v1`. */
  path: string;
  summary: string;
  scope: Scope;
  permission: Permission;
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  /** What a good answer has; none for one without a body. */
  answer?: z.ZodType;
  status: Answer["status"];
  /** Shell commands that perform it; `$SITE`, `$TOKEN` and, where it has them, `$VIDEO` and `$UPLOAD` are set. */
  example: string;
}

/** Whether an operation changes the catalogue, and so takes an `Idempotency-Key`. Uploads are resumed by tus instead. */
export function takesKey(operation: Operation<never, never>): boolean {
  return "change" in operation || operation.body !== undefined;
}

/** An operation among others: its types end here. */
export function operation<Body = undefined, Query = undefined>(
  one: Operation<Body, Query>,
): Operation<never, never> {
  return one as unknown as Operation<never, never>;
}
