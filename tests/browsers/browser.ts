/** A browser that the journeys are run in: what a person does with it, and a look into the page. */
export interface Browser {
  readonly name: string;
  /** @param address absolute. Returns when the page has loaded. */
  open(address: string): Promise<void>;
  /** Runs in the page, waits for its promise; arguments and answer travel as JSON. */
  run<Args extends unknown[], Answer>(
    script: (...args: Args) => Answer | Promise<Answer>,
    ...args: Args
  ): Promise<Answer>;
  click(selector: string): Promise<void>;
  hover(selector: string): Promise<void>;
  /** Types at the end of what the field holds. */
  type(selector: string, text: string): Promise<void>;
  /** Presses and releases one key, named as `KeyboardEvent.key` names it. */
  press(key: string): Promise<void>;
  chooseFile(selector: string, file: string): Promise<void>;
  close(): Promise<void>;
}
