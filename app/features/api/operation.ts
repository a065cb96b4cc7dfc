import type { z } from "zod";
import type { Scope } from "~/features/accounts/tokens/scopes";
import type { OwnVideos, Permission } from "~/features/permissions/permissions";
import type { SessionUser } from "~/features/permissions/session.server";

export const API_PATH = "/api/v1";

/** A valid request from an authorized user. */
export interface Call<Body, Query> {
  request: Request;
  user: SessionUser;
  scopes: readonly Scope[];
  /** Set for uploaders, whose requests are handled as if other users' videos didn't exist. */
  own: OwnVideos | undefined;
  /** The `{id}` in the path; empty if the operation has none. */
  id: string;
  body: Body;
  query: Query;
}

/** A request that needs more than one transaction, such as one that has to probe a file. */
interface LongRunningCall<Body, Query> extends Call<Body, Query> {
  /** Records the response for the request's `Idempotency-Key`, in the transaction that performs the change. */
  recordResponse(answer: ApiResponse): void;
}

export interface ApiResponse {
  status: 200 | 201 | 204;
  body?: unknown;
  headers?: Record<string, string>;
}

/** An API operation: its implementation and its description. */
export type Operation<Body = unknown, Query = unknown> = Description<Body, Query> &
  (
    | {
        /**
         * Performs a change in a transaction that also records the response. Throwing a Problem rolls the transaction
         * back.
         */
        change(call: Call<Body, Query>): ApiResponse;
      }
    | { perform(call: LongRunningCall<Body, Query>): Promise<ApiResponse | Response> }
  );

interface Description<Body, Query> {
  /** The OpenAPI operation id, such as `listVideos`. */
  name: string;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below `/api/v1`. */
  path: string;
  summary: string;
  scope: Scope;
  permission: Permission;
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  /** The schema of a successful response; undefined if the response has no body. */
  answer?: z.ZodType;
  status: ApiResponse["status"];
  /**
   * Shell commands that call the operation. `$SITE` and `$TOKEN` are set, as are `$VIDEO` and `$UPLOAD` if the
   * operation needs them.
   */
  example: string;
}

/**
 * Returns whether an operation changes videos and therefore accepts an `Idempotency-Key`. Uploads are resumed with tus
 * instead.
 */
export function acceptsIdempotencyKey(operation: Operation<never, never>): boolean {
  return "change" in operation || operation.body !== undefined;
}

/** Checks an operation's types, then erases them, so that all operations can be kept in one list. */
export function operation<Body = undefined, Query = undefined>(
  one: Operation<Body, Query>,
): Operation<never, never> {
  return one as unknown as Operation<never, never>;
}
