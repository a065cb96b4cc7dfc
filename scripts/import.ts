// npm run import: imports videos from a folder on the server, or from an export of the earlier system.
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
import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { VIDEO_STATUSES } from "~db/schema";
import { progressBar } from "./progress-bar";
import { UsageError } from "./prompt";
import { runScript } from "./run-script";

const USAGE = `npm run import -- FOLDER [options]

Imports the videos in a folder and its subfolders. Exact duplicates are skipped. If it is interrupted,
run it again to continue.

  --copy, --move, --link   how to add the files to the uploads (default: --copy)
  --category ID            the default category: desi, blacked, english, pornstar or premium
  --tags A,B               the default tags
  --status STATUS          published (default), hidden or review
  --metadata FILE          a CSV or JSON table with a column "file" and any of title, description,
                           category, tags, status, thumbnail (default: metadata.csv or .json in FOLDER)
  --export FILE            FILE is a CSV or JSON export of the earlier system's "videos" table, and
                           FOLDER contains its downloaded buckets videos/ and thumbnails/
  --user EMAIL             the uploader of the videos (default: the first account)
  --accept-terms VERSION   accept this version of the upload terms for all videos; required while
                           the studio requires acceptance
  --dry-run                print what would be imported, and change nothing`;

/** The maximum number of skipped files whose names are printed. */
const MAX_NAMES = 3;

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
    if (!folder || rest.length > 0) throw new UsageError(`Specify one folder.\n\n${USAGE}`);
    const modes = (["copy", "move", "link"] as const).filter((mode) => options[mode]);
    if (modes.length > 1) throw new UsageError("Use only one of --copy, --move and --link.");
    const status = VIDEO_STATUSES.find((each) => each === (options.status ?? "published"));
    if (!status) throw new UsageError(`--status must be one of ${VIDEO_STATUSES.join(", ")}.`);
    const category = options.category && toCategoryId(options.category);
    if (options.category && !category) {
      throw new UsageError("--category must be desi, blacked, english, pornstar or premium.");
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
    warnAboutCategories(plan);
    if (options["dry-run"]) return printPlan(plan);
    const terms = options["accept-terms"];
    requireAcceptedTerms(terms);
    await perform(plan, { userId: await userId(options.user), mode: modes[0] ?? "copy", terms });
  },
);

/** Warns once, before the import, because every one of a thousand files may lack a category. */
function warnAboutCategories({ entries, failures }: ImportPlan): void {
  const withoutCategory = failures.filter(isWithoutCategory).map(({ name }) => name);
  const count = withoutCategory.length;
  if (count === 0) return;
  const all = entries.length + failures.length;
  const more = count > MAX_NAMES ? ` and ${count - MAX_NAMES} more` : "";
  console.error(
    `${count} of ${all} files ${count === 1 ? "has" : "have"} no category and will be skipped (${withoutCategory.slice(0, MAX_NAMES).join(", ")}${more}). To import them, set --category to desi, blacked, english, pornstar or premium.`,
  );
}

async function userId(email: string | undefined): Promise<string> {
  const user = email ? await findUserByEmail(email) : await firstUser();
  if (user) return user.id;
  throw new ImportError(
    email
      ? `There is no account for ${email}.`
      : "There is no account yet. Create one with npm run create-user.",
  );
}

/**
 * Requires the terms to be accepted before the import. The error message shows which version of the terms has to be
 * accepted, and where to find it.
 */
function requireAcceptedTerms(accepted: string | undefined): void {
  const refusal = termsRefusal(accepted);
  const version = requiredTerms()?.version;
  if (!refusal) return;
  throw new ImportError(
    `${refusal} Read them at /admin/terms, then accept them with --accept-terms ${version}.`,
  );
}

async function perform(
  plan: ImportPlan,
  options: Pick<ImportOptions, "userId" | "mode" | "terms">,
): Promise<void> {
  const controller = new AbortController();
  // A second signal ends the process immediately. Nothing is lost in that case either.
  process.once("SIGINT", () => controller.abort());
  process.once("SIGTERM", () => controller.abort());
  const bytes = plan.entries.reduce((sum, { file }) => sum + sizeOf(file), 0);
  const bar = progressBar(plan.entries.length, 2 * bytes);
  try {
    const { signal } = controller;
    // Unlike the server, a command may probe many files in parallel.
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

/** Prints the failures, except those about which a warning was already printed. */
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
  console.log(`${entries.length} would be imported, ${failures.length} can't be imported.`);
}

function report(summary: ImportSummary): void {
  const failed = summary.failures.length;
  for (const { name, of } of summary.duplicates) console.log(`${name}: duplicate of "${of}".`);
  for (const { name, reason } of summary.notPublic) {
    console.error(`${name}: ${reason} It was imported, but isn't public.`);
  }
  printFailures(summary.failures);
  console.log(
    [
      `${summary.imported} imported (${formatBytes(summary.importedBytes)})`,
      `${summary.alreadyImported} already imported`,
      formatQuantity(summary.duplicates.length, "duplicate"),
      `${failed} failed`,
    ].join(", "),
  );
  if (summary.interrupted) {
    console.log("Interrupted. Run the same command again to continue.");
    process.exitCode = 130;
  } else if (failed > 0) process.exitCode = 1;
}
