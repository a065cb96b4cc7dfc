import { parseArgs } from "node:util";
import { BackupError } from "~/features/operations/backups/backup-files.server";
import { ImportError } from "~/features/upload/import/table.server";
import { StorageError } from "~/media/storage/object-store";
import { FormError } from "~/platform/form-error.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { closeDatabase } from "~db/client.server";
import { DataLockError } from "~db/data-lock.server";
import { DatabaseFileError, requireReleasedFile } from "~db/database-file.server";
import { FolderError } from "~db/folders.server";
import { MigrationError } from "~db/migrate.server";
import { DatabaseBusyError } from "~db/write-lock";
import { UsageError } from "./prompt";
import { RestoreError } from "./restore-error";

type Options = NonNullable<Parameters<typeof parseArgs>[0]>["options"];

/** The errors whose message is for the operator. Any other error is a bug and is printed with its stack trace. */
const EXPECTED = [
  FormError,
  SettingsError,
  MigrationError,
  DatabaseFileError,
  DatabaseBusyError,
  DataLockError,
  FolderError,
  ImportError,
  RestoreError,
  BackupError,
  StorageError,
];

/**
 * Parses the command line, runs the script and closes the database. Exits with 0 on success, 1 on failure and 2 on
 * misuse.
 */
export async function runScript<const O extends Options>(
  usage: string,
  options: O,
  script: (
    values: ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>["values"],
    positionals: string[],
  ) => Promise<void>,
): Promise<void> {
  try {
    const { values, positionals } = parse(usage, options);
    if (process.argv.slice(2).includes("--help")) console.log(usage);
    else {
      requireReleasedFile(settings().databasePath);
      await script(values, positionals);
    }
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    const expected = error instanceof UsageError || EXPECTED.some((kind) => error instanceof kind);
    console.error(expected ? (error as Error).message : error);
  } finally {
    closeDatabase();
    // The input stream of a prompt would keep the process alive.
    process.stdin.destroy();
  }
}

function parse<const O extends Options>(usage: string, options: O) {
  try {
    return parseArgs({
      options: { ...options, help: { type: "boolean" } } as unknown as O,
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`);
  }
}
