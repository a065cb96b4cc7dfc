import Sqlite from "better-sqlite3";
import ts from "typescript";
import { expect, it } from "vitest";
import { migrate } from "~db/migrate.server";

const ROWS = `
  import type { Selectable } from "kysely";
  import type { Schema } from "./db/schema";
  export type Rows = { [Table in keyof Schema]: Selectable<Schema[Table]> };`;

/** Returns the columns declared by the types in `db/schema`. A "?" marks a column that may be null. */
function typedColumns(): string[] {
  const file = `${process.cwd()}/rows-of-schema.ts`;
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, ROWS, version) : read(name, version);
  const program = ts.createProgram([file], options, host);
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
  const [rows] = checker.getExportsOfModule(module);
  return checker
    .getDeclaredTypeOfSymbol(rows!)
    .getProperties()
    .flatMap((table) =>
      checker
        .getTypeOfSymbol(table)
        .getProperties()
        .map((column) => {
          const type = checker.getTypeOfSymbol(column);
          const isNullable =
            type.isUnion() && type.types.some(({ flags }) => flags & ts.TypeFlags.Null);
          return `${table.name}.${column.name}${isNullable ? "?" : ""}`;
        }),
    );
}

/**
 * Returns the columns of a migrated database in the same form. Generated columns have no NOT NULL constraint, so
 * whether they may be null is taken from the types.
 */
function migratedColumns(typed: readonly string[]): string[] {
  const sqlite = new Sqlite(":memory:");
  migrate(sqlite);
  const tables = [...new Set(typed.map((column) => column.split(".")[0]!))];
  return tables.flatMap((table) =>
    (
      sqlite.pragma(`table_xinfo(${table})`) as {
        name: string;
        type: string;
        notnull: number;
        pk: number;
        hidden: number;
      }[]
    ).map(({ name, type, notnull, pk, hidden }) => {
      const isRowid = pk > 0 && type === "INTEGER";
      const isNullable = hidden ? typed.includes(`${table}.${name}?`) : !notnull && !isRowid;
      return `${table}.${name}${isNullable ? "?" : ""}`;
    }),
  );
}

it("the schema types match the database's columns and their nullability", () => {
  const typed = typedColumns();
  expect(typed.length).toBeGreaterThan(250);
  expect(typed.sort()).toEqual(migratedColumns(typed).sort());
});
