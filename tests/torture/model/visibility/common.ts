import fc from "fast-check";
import { type Outcome, ROLES, type Role } from "../reference";
import type { Fields } from "../running-site";
import { expectSame, nth, type StepKind } from "../step";
import { number } from "../values";
import type { ModelVideo, VisibilityModel } from "./reference";
import type { VisibilitySite } from "./site";

export type Kind<Args> = StepKind<Args, VisibilityModel, VisibilitySite>;

/** How many ids there are at most, for which rows come and go; half of them other programs give. */
export const MAX_VIDEOS = 12;

export const sender = fc.constantFrom<Role>("owner", "owner", ...ROLES);
/** Both may decide on reports. */
export const moderator = fc.constantFrom<Role>("owner", "editor");
export const which = fc.array(number, { minLength: 1, maxLength: 3 });
const day = fc.option(fc.integer({ min: 1, max: 8 }), { nil: null });
export const times = fc.record({ publishAt: day, unpublishAt: day });
export const status = fc.constantFrom("published", "published", "hidden", "review");

/** The video that a number stands for, of all ids that there were. */
export function pick(model: VisibilityModel, number: number): ModelVideo | undefined {
  const video = nth(model.videos, number);
  if (video) model.touched.add(video);
  return video;
}

/** The same, of those that have a row. */
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
 * Sends a form as a page with scripts does, which needs no page rendered. It has to end as the model says.
 *
 * @returns where it leads.
 */
export async function form(
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
  const asked = `${role ?? "a visitor"} sends ${JSON.stringify(fields)} to ${path} (${body})`;
  expectSame(asked, status, expected.includes(status as 202) ? status : expected[0]);
  if (location.startsWith("/auth")) throw new Error(`${asked}: the session has ended`);
  return location;
}

/** A form of the manage tab. */
export function manage(
  site: VisibilitySite,
  role: Role,
  fields: Fields,
  outcome: Outcome,
): Promise<string> {
  return form(site, role, "/admin?tab=manage", fields, outcome);
}
