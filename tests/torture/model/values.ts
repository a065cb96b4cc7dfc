import fc from "fast-check";
import { CATEGORIES } from "../../../app/shared/category-list";
import { type Reference, ROLES, type Role } from "./reference";
import { nth } from "./step";

/** Values for steps. There are only a few words and tags, so that many of them match. */

export const WORDS = ["night", "Train", "ride", "ночь", "Élodie", "100%", "a_b", `it's`, "東京"];
export const TAGS = ["train", "Train", "night", "slow", "summer", "two words", "夏"];

export const role = fc.constantFrom<Role>("owner", "owner", ...ROLES);
/** A number that selects one of the items that exist when the step is performed. */
export const number = fc.nat(9_999);
export const numbers = fc.array(number, { minLength: 1, maxLength: 8 });
export const title = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(" "));
export const tags = fc.uniqueArray(fc.constantFrom(...TAGS), {
  maxLength: 3,
  selector: (tag) => tag.toLowerCase(),
});
export const category = fc.constantFrom(...CATEGORIES.map(({ id }) => id));

/** Maps numbers to IDs of videos, which may have been deleted or purged. */
export const chosen = (model: Reference, wanted: readonly number[]) => [
  ...new Set(wanted.map((each) => nth(model.ids, each) ?? "none")),
];
