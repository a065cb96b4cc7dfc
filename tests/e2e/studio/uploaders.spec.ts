import { expectNoViolations, signIn, test } from "../site";

const EMAIL = "uploader@example.com";

test.beforeEach(({ site }) => {
  const database = site.database();
  database.exec(`DELETE FROM users WHERE email = '${EMAIL}'`);
  database
    .prepare(
      "INSERT INTO users (id, email, password_hash, role, may_publish) VALUES (?, ?, '', ?, 1)",
    )
    .run("uploader", EMAIL, "uploader");
  site.addVideo({ id: "v", title: "Theirs", uploaded_by: "uploader", status: "published" });
});

test("the open controls of an uploader have no violation", async ({ page }) => {
  await signIn(page);
  await page.goto("/admin/users");
  await page.getByText("Strikes and block").click();
  await expectNoViolations(page);
});
