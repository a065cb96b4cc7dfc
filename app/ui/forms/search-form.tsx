import { Form } from "@remix-run/react";
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../button";
import { Field } from "./field";

/** A search form that changes a list's URL. */
export function SearchForm({
  action,
  label,
  search,
  children,
}: {
  action: string;
  label: string;
  search: string;
  /** Additional URL parameters. */
  children?: ReactNode;
}) {
  return (
    <Form role="search" action={action} className="flex items-end gap-2">
      {children}
      <Field key={search} label={label} type="search" name="search" defaultValue={search} />
      <Button variant="secondary" aria-label="Show">
        <Search aria-hidden="true" className="size-4" />
        <span className="max-sm:sr-only">Show</span>
      </Button>
    </Form>
  );
}
