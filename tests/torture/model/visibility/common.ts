import fc from "fast-check";
import { type Outcome, ROLES, type Role } from "../reference";
import type { Fields } from "../running-site";
import { expectSame, nth, type StepKind } from "../step";
import { number } from "../values";
import type { ModelVideo, VisibilityModel } from "./reference";
import type { VisibilitySite } from "./site";

export type Kind<Args> = StepKind<Args, VisibilityModel, VisibilitySite>;

/** The maximum number of video IDs. IDs are reused for new rows, and other processes insert half of the IDs. */
export const MAX_VIDEOS = 12;

export const sender = fc.constantFrom<Role>("owner", "owner", ...ROLES);
/** Roles that may decide on reports. */
export const moderator = fc.constantFrom<Role>("owner", "editor");
export const which = fc.array(number, { minLength: 1, maxLength: 3 });
const day = fc.option(fc.integer({ min: 1, max: 8 }), { nil: null });
export const times = fc.record({ publishAt: day, unpublishAt: day });
export const status = fc.constantFrom("published", "published", "hidden", "review");

/** Picks a video by number from all videos, including those without a row. */
export function pick(model: VisibilityModel, number: number): ModelVideo | undefined {
  const video = nth(model.videos, number);
  if (video) model.touched.add(video);
  return video;
}

/** Picks a video by number from those that have a row. */
export function pickLive(model: VisibilityModel, number: number): ModelVideo | undefined {
  const video = nth(
    model.videos.filter(({ row }) => row),
    number,
  );
  if (video) model.touched.add(video);
  return video;
}

export const pickSome = (model: VisibilityModel, numbers: readonly number[]) => [
  ...new Set(numbers.flatMap((each) => pick(model, each) ?? [])),
];

export const idsOf = (videos: readonly ModelVideo[]) => videos.map(({ id }) => id);

/**
 * Sends a form and compares the result with the model. The request looks like one from the site's script, so the site
 * doesn't have to render a page.
 * @returns the URL that the response redirects to.
 */
export async function submitForm(
  site: VisibilitySite,
  role: Role | undefined,
  path: string,
  fields: Fields,
  outcome: Outcome | readonly Outcome[],
): Promise<string> {
  const address = path.replace(/^[^?]*/, "$&.data");
  const { status, body } = await site.send(role, address, fields);
  const [, location = ""] = /"redirect","([^"]*)"/.exec(body) ?? [];
  const expected = [outcome].flat().map((each) => (each === "done" ? 202 : each));
  const what = `${role ?? "a visitor"} sends ${JSON.stringify(fields)} to ${path} (${body})`;
  expectSame(what, status, expected.includes(status as 202) ? status : expected[0]);
  if (location.startsWith("/auth")) throw new Error(`${what}: the session has ended`);
  return location;
}

/** Sends a form on the Manage tab. */
export function manage(
  site: VisibilitySite,
  role: Role,
  fields: Fields,
  outcome: Outcome,
): Promise<string> {
  return submitForm(site, role, "/admin?tab=manage", fields, outcome);
}
