import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import { type ManageView, manageHref } from "./manage-address";

/** Fewer pages are all in the pager, or one press away. */
const FROM_PAGES = 6;

/** Goes to a page by its number: among 100,000 videos the pager reaches only the neighbours. */
export function PageJump({ view, pageCount }: { view: ManageView; pageCount: number }) {
  if (pageCount < FROM_PAGES) return null;
  const parameters = new URLSearchParams(manageHref({ ...view, page: 1 }).split("?")[1]);
  return (
    <Form action="/admin" className="flex items-end justify-center gap-2">
      {[...parameters].map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Field
        label="Go to page"
        name="page"
        type="number"
        min={1}
        max={pageCount}
        required
        className="max-w-28"
      />
      <Button variant="secondary">Go</Button>
    </Form>
  );
}
