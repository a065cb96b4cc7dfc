// npm run import: takes the videos of a folder on the server, or of an export of the earlier system.
import fs from "node:fs";
import { findUserByEmail, firstUser } from "~/features/accounts/users.server";
import { requiredTerms, termsRefusal } from "~/features/moderation/uploaders/terms.server";
import { planExport } from "~/features/upload/import/earlier-system.server";
import { planFolder, requireApartFromUploads } from "~/features/upload/import/folder.server";
import {
  type ImportOptions,
  type ImportSummary,
  importVideos,
} from "~/features/upload/import/import.server";
import {
  ImportError,
  type ImportFailure,
  type ImportPlan,
  NO_CATEGORY,
  tagsOf,
} from "~/features/upload/import/table.server";
import { asJob } from "~/media/probe/process-gate.server";
import { requireStoreSetting } from "~/media/storage/store-identity.server";
import { toCategoryId } from "~/shared/categories";
import { formatBytes } from "~/shared/format-bytes";
import { VIDEO_STATUSES } from "~db/schema";
import { UsageError } from "./ask";
import { progressBar } from "./progress-bar";
import { runScript } from "./run-script";

const USAGE = `npm run import -- FOLDER [options]

Takes the videos of a folder, and of all folders in it, into the catalogue. Exact duplicates are left
out. It may be interrupted, and goes on where it was when it is started again.

  --copy, --move, --link   how the files come into the uploads (default: --copy)
  --category ID            desi, blacked, english, pornstar or premium, for what names no other
  --tags A,B               for what names no others
  --status STATUS          published (default), hidden or review
  --metadata FILE          a CSV or JSON table with a column "file" and any of title, description,
                           category, tags, status, thumbnail (default: metadata.csv or .json in FOLDER)
  --export FILE            FILE is a CSV or JSON export of the earlier system's table "videos";
                           FOLDER holds its downloaded buckets videos/ and thumbnails/
  --user EMAIL             whose videos they become (default: the first account)
  --accept-terms VERSION   that you accept the uploaders' terms of the studio, of this version, for all of it;
                           needed while the studio asks for that
  --dry-run                say what would be done, and do nothing`;

/** Of the videos that are left out. */
const NAMES_SHOWN = 3;

await runScript(
  USAGE,
  {
    copy: { type: "boolean" },
    move: { type: "boolean" },
    link: { type: "boolean" },
    category: { type: "string" },
    tags: { type: "string" },
    status: { type: "string" },
    metadata: { type: "string" },
    export: { type: "string" },
    user: { type: "string" },
    "accept-terms": { type: "string" },
    "dry-run": { type: "boolean" },
  },
  async (options, [folder, ...rest]) => {
    requireStoreSetting();
    if (!folder || rest.length > 0) throw new UsageError(`One folder has to be named.\n\n${USAGE}`);
    const modes = (["copy", "move", "link"] as const).filter((mode) => options[mode]);
    if (modes.length > 1) throw new UsageError("Only one of --copy, --move and --link can be.");
    const status = VIDEO_STATUSES.find((each) => each === (options.status ?? "published"));
    if (!status) throw new UsageError(`--status takes ${VIDEO_STATUSES.join(", ")}.`);
    const category = options.category && toCategoryId(options.category);
    if (options.category && !category) {
      throw new UsageError("--category takes desi, blacked, english, pornstar or premium.");
    }
    try {
      requireApartFromUploads(folder);
    } catch (error) {
      throw new UsageError((error as Error).message);
    }
    const defaults = {
      status,
      ...(category && { category }),
      ...(options.tags && { tags: tagsOf({ tags: options.tags }) }),
      ...(options.metadata && { metadata: options.metadata }),
    };
    const plan = options.export
      ? await planExport(options.export, folder, defaults)
      : await planFolder(folder, defaults);
    warnOfCategories(plan);
    if (options["dry-run"]) return printPlan(plan);
    const terms = options["accept-terms"];
    requireAcceptedTerms(terms);
    await perform(plan, { userId: await userId(options.user), mode: modes[0] ?? "copy", terms });
  },
);

/** Once, and before anything is done: with a thousand files it is the same thousand times. */
function warnOfCategories({ entries, failures }: ImportPlan): void {
  const withoutCategory = failures.filter(isWithoutCategory).map(({ name }) => name);
  const count = withoutCategory.length;
  if (count === 0) return;
  const all = entries.length + failures.length;
  const more = count > NAMES_SHOWN ? ` and ${count - NAMES_SHOWN} more` : "";
  console.error(
    `${count} of ${all} ${count === 1 ? "is" : "are"} left out, as nothing says the category (${withoutCategory.slice(0, NAMES_SHOWN).join(", ")}${more}). --category desi, blacked, english, pornstar or premium takes them too.`,
  );
}

async function userId(email: string | undefined): Promise<string> {
  const user = email ? await findUserByEmail(email) : await firstUser();
  if (user) return user.id;
  throw new ImportError(
    email ? `There is no account for ${email}.` : "There is no account yet; npm run create-user.",
  );
}

/** Before anything is done: with the version to name, and where its text is. */
function requireAcceptedTerms(accepted: string | undefined): void {
  const refusal = termsRefusal(accepted);
  const version = requiredTerms()?.version;
  if (!refusal) return;
  throw new ImportError(
    `${refusal} They stand under /admin/terms; --accept-terms ${version} says that you accept them.`,
  );
}

async function perform(
  plan: ImportPlan,
  options: Pick<ImportOptions, "userId" | "mode" | "terms">,
): Promise<void> {
  const controller = new AbortController();
  // A second one ends the process at once; nothing is lost by it either.
  process.once("SIGINT", () => controller.abort());
  process.once("SIGTERM", () => controller.abort());
  const bytes = plan.entries.reduce((sum, { file }) => sum + sizeOf(file), 0);
  const bar = progressBar(plan.entries.length, 2 * bytes);
  try {
    const { signal } = controller;
    // A command may probe as many files as the disk can read.
    const summary = await asJob(() =>
      importVideos(plan, { ...options, signal, onProgress: bar.advance }),
    );
    bar.end();
    report(summary);
  } finally {
    bar.end();
  }
}

function sizeOf(file: string | undefined): number {
  return (file && fs.statSync(file, { throwIfNoEntry: false })?.size) || 0;
}

function isWithoutCategory({ reason }: ImportFailure): boolean {
  return reason === NO_CATEGORY;
}

/** What has been warned of is left out. */
function printFailures(failures: readonly ImportFailure[]): void {
  for (const failure of failures) {
    if (!isWithoutCategory(failure)) console.error(`${failure.name}: ${failure.reason}`);
  }
}

function printPlan({ entries, failures }: ImportPlan): void {
  for (const { name, title, category, tags, status } of entries) {
    console.log(`${name}: "${title}", ${category}, ${status}${tags.length ? `, ${tags}` : ""}`);
  }
  printFailures(failures);
  console.log(`${entries.length} would be imported, ${failures.length} could not.`);
}

function report(summary: ImportSummary): void {
  const failed = summary.failures.length;
  for (const { name, of } of summary.duplicates) console.log(`${name}: the same file as "${of}".`);
  for (const { name, reason } of summary.notPublic) {
    console.error(`${name}: ${reason} It is imported, but not public.`);
  }
  printFailures(summary.failures);
  console.log(
    [
      `${summary.imported} imported (${formatBytes(summary.importedBytes)})`,
      `${summary.alreadyThere} already there`,
      `${summary.duplicates.length} duplicates`,
      `${failed} failed`,
    ].join(", "),
  );
  if (summary.interrupted) {
    console.log("Interrupted. The same command goes on from here.");
    process.exitCode = 130;
  } else if (failed > 0) process.exitCode = 1;
}
