import fs from "node:fs";
import path from "node:path";
import { configure, within } from "@testing-library/dom";
import fetchCookie from "fetch-cookie";
import { CookieJar, JSDOM } from "jsdom";

// Style sheets aren't loaded, so visibility is unknown, and checking it would double the tests' time.
configure({
  defaultHidden: true,
  getElementError: (message) => new Error(message?.split("\n")[0]),
});

/**
 * A visitor without JavaScript, who opens pages, follows links and submits forms with real requests, as defined by the
 * HTML standard. Nothing is rendered, because layout is tested in a browser.
 */
export class HtmlVisitor {
  /** The status code of the last response, after redirects. */
  status = 0;
  private readonly jar = new CookieJar();
  private readonly fetch: typeof fetch;
  private dom = new JSDOM("");

  private readonly headers: Record<string, string>;

  /**
   * @param site the site to visit. It may be started later.
   * @param headers the headers to send with each request.
   */
  constructor(
    private readonly site: { readonly url: string },
    headers: Record<string, string> = {},
  ) {
    this.headers = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", ...headers };
    this.fetch = fetchCookie(fetch, this.jar) as typeof fetch;
  }

  get document(): Document {
    return this.dom.window.document;
  }

  /** The path, query and fragment of the open page. */
  get address(): string {
    const { pathname, search, hash } = new URL(this.document.URL);
    return pathname + search + hash;
  }

  /** Returns queries by role, label and text for the page or an element on it. */
  in(element: HTMLElement = this.document.body) {
    return within(element);
  }

  /** The page's visible text, on one line. */
  get text(): string {
    return textOf(this.document.body);
  }

  async open(address: string): Promise<void> {
    await this.request(new URL(address, this.site.url), {});
  }

  /** Opens the page again. */
  reload(): Promise<void> {
    return this.open(this.document.URL);
  }

  /** Sends a request without leaving the page, and returns the response. */
  get(address: string): Promise<Response> {
    const headers = { ...this.headers, "Sec-Fetch-Site": "same-origin" };
    return this.fetch(new URL(address, this.document.URL), { headers });
  }

  async follow(link: HTMLElement | string): Promise<void> {
    const element = typeof link === "string" ? this.named("link", link) : link;
    const address = element.closest("a")?.getAttribute("href");
    if (!address) throw new Error(`${element.outerHTML} has no URL.`);
    await this.request(new URL(address, this.document.URL), {});
  }

  /** Returns the field with exactly this label. If there is none, returns a field whose label contains it. */
  field<Field extends HTMLElement = HTMLInputElement>(label: string, form?: HTMLElement): Field {
    const [exact] = this.in(form).queryAllByLabelText<Field>(label);
    return exact ?? this.in(form).getByLabelText<Field>(label, { exact: false });
  }

  /**
   * Returns the first element with this role and exactly this name. If there is none, the name only has to contain it.
   */
  named(role: "button" | "link", name: string): HTMLElement {
    const [exact] = this.in().queryAllByRole(role, { name });
    return exact ?? this.in().getAllByRole(role, { name: (found) => found.includes(name) })[0]!;
  }

  /** Fills the field with this label, or selects the option with this text. */
  fill(label: string, value: string, form?: HTMLElement): void {
    const field = this.field<HTMLElement>(label, form);
    if (!field.matches("select")) {
      (field as HTMLInputElement).value = value;
      return;
    }
    const { options } = field as HTMLSelectElement;
    const option = [...options].find(({ text, value: own }) => [text, own].includes(value));
    if (!option) throw new Error(`${label} has no option ${value}.`);
    option.selected = true;
  }

  check(label: string, form?: HTMLElement): void {
    this.field(label, form).checked = true;
  }

  /** Attaches a file to the form. `file` is a path or the file's content. */
  attach(field: HTMLElement, file: string | Buffer, name = "file"): void {
    const content = typeof file === "string" ? fs.readFileSync(file) : file;
    this.files.set(
      field as HTMLInputElement,
      new File([content as BlobPart], typeof file === "string" ? path.basename(file) : name),
    );
  }

  private files = new Map<HTMLInputElement, File>();

  /** Presses the button with this name. As in a browser, a form with an invalid field isn't submitted. */
  async press(button: HTMLElement | string): Promise<void> {
    const element = typeof button === "string" ? this.named("button", button) : button;
    await this.submit(element, element as HTMLButtonElement);
  }

  /** Submits a field's form as the Enter key would, with the form's first button. */
  async submit(field: HTMLElement, button?: HTMLButtonElement): Promise<void> {
    const { form } = field as HTMLInputElement;
    if (!form) throw new Error(`${field.outerHTML} isn't in a form.`);
    const fields = [...form.elements] as HTMLInputElement[];
    button ??= fields.find(({ type }) => type === "submit") as unknown as HTMLButtonElement;
    const skipsChecks = form.noValidate || button?.formNoValidate;
    const invalid = fields.find((each) => !this.files.has(each) && !each.checkValidity());
    if (invalid && !skipsChecks) {
      throw new Error(`${invalid.name} is invalid, so a browser wouldn't submit the form.`);
    }
    await this.send(form, button);
  }

  private async send(form: HTMLFormElement, button?: HTMLButtonElement): Promise<void> {
    const { FormData: FormDataOfPage } = this.dom.window;
    const entries = [...new FormDataOfPage(form, button)].map(([name, value]) => {
      if (typeof value === "string") return [name, value] as const;
      const input = form.elements.namedItem(name) as HTMLInputElement;
      return [name, this.files.get(input) ?? new File([], "")] as const;
    });
    const attribute = (name: string) =>
      button?.getAttribute(`form${name}`) ?? form.getAttribute(name);
    const url = new URL(attribute("action") || this.document.URL, this.document.URL);
    if ((attribute("method") ?? "get").toLowerCase() === "get") {
      url.search = String(
        new URLSearchParams(entries.map(([name, value]) => [name, String(value)])),
      );
      url.hash = "";
      return this.request(url, {});
    }
    const isMultipart = attribute("enctype") === "multipart/form-data";
    const body = isMultipart ? new FormData() : new URLSearchParams();
    for (const [name, value] of entries) {
      if (body instanceof FormData) body.append(name, value as string);
      else body.append(name, typeof value === "string" ? value : value.name);
    }
    await this.request(url, {
      method: "POST",
      body,
      headers: { Origin: this.site.url },
    });
  }

  private async request(url: URL, init: RequestInit): Promise<void> {
    const from = this.document.URL === "about:blank" ? "none" : "same-origin";
    const response = await this.fetch(url, {
      ...init,
      headers: {
        Accept: "text/html",
        ...this.headers,
        ...(init.headers as Record<string, string>),
        "Sec-Fetch-Site": from,
      },
    });
    this.status = response.status;
    const address = new URL(response.url || url);
    address.hash ||= url.hash;
    this.files.clear();
    // Without JavaScript, the content of <noscript> is part of the page, and jsdom parses it accordingly.
    this.dom = new JSDOM(await response.text(), { url: address.href });
    // Remove scripts, which contain the page's data but aren't visible.
    for (const script of this.document.querySelectorAll("script")) script.remove();
  }

  /** Uses an existing session, such as one from `signInTo`, instead of submitting the form. */
  async setCookie(cookie: string): Promise<void> {
    await this.jar.setCookie(cookie, this.site.url);
  }

  /** Starts over without cookies or an open page, like a new browser. */
  async restart(): Promise<void> {
    await this.clearCookies();
    this.files.clear();
    this.dom = new JSDOM("");
  }

  /** Deletes all cookies. */
  async clearCookies(): Promise<void> {
    await this.jar.removeAllCookies();
  }
}

export function textOf(element: Element): string {
  return (element.textContent ?? "").replace(/\s+/g, " ").trim();
}
