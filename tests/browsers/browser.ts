/** A browser that tests control like a person, except that `run` executes scripts in the page. */
export interface Browser {
  readonly name: string;
  /**
   * Opens a page, and returns once it has loaded.
   * @param address an absolute URL.
   */
  open(address: string): Promise<void>;
  /** Runs a script in the page and awaits its promise. Arguments and the result are transferred as JSON. */
  run<Args extends unknown[], Result>(
    script: (...args: Args) => Result | Promise<Result>,
    ...args: Args
  ): Promise<Result>;
  click(selector: string): Promise<void>;
  hover(selector: string): Promise<void>;
  /** Types at the end of the field's text. */
  type(selector: string, text: string): Promise<void>;
  /** Presses and releases a key, which is named as in `KeyboardEvent.key`. */
  press(key: string): Promise<void>;
  chooseFile(selector: string, file: string): Promise<void>;
  close(): Promise<void>;
}
