import { Form } from "@remix-run/react";
import { Search } from "lucide-react";
import { listPath } from "~/shared/addresses";
import { type CategoryId, categoryLabel } from "~/shared/categories";
import { Button, buttonClass } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { PageLink } from "~/ui/page-link";

/** What stands there when a search finds nothing: a text that comes near, and where to go instead. */
export function NothingFound({
  search,
  category,
  others,
}: {
  search: string;
  category?: CategoryId;
  others?: { nearest?: string; categories: readonly CategoryId[] };
}) {
  return (
    <>
      <EmptyState
        icon={<Search />}
        title={
          <>
            No videos found matching “<bdi>{search}</bdi>”
          </>
        }
        action={
          <Form action="/">
            {category && <input type="hidden" name="category" value={category} />}
            <Button>Clear Search</Button>
          </Form>
        }
      >
        {others?.nearest && (
          <p>
            Did you mean{" "}
            <PageLink
              to={listPath({ from: "home", search: others.nearest, category })}
              className="inline-flex min-h-11 items-center font-semibold text-accent underline underline-offset-4 mouse:min-h-0"
            >
              <bdi>{others.nearest}</bdi>
            </PageLink>
            ?
          </p>
        )}
      </EmptyState>
      {others && others.categories.length > 0 && (
        <div className="-mt-6 pb-10 text-center">
          <h2 id="popular-heading" className="text-sm font-semibold text-muted">
            Popular categories
          </h2>
          <ul
            aria-labelledby="popular-heading"
            className="mt-3 flex flex-wrap justify-center gap-2"
          >
            {others.categories.map((id) => (
              <li key={id}>
                <PageLink
                  to={listPath({ from: "categories", category: id })}
                  className={buttonClass("secondary", "sm")}
                >
                  {categoryLabel(id)}
                </PageLink>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
