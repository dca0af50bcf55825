/**
 * Headers, Response and FormData as the clients of HTTP APIs use them, in place of Node's own in the bundle: those load a whole undici, about
 * 30 ms of CPU time and 3 MB of memory. The transport checks names and values when it sends them.
 */

type Entries = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

export class Headers {
  readonly #values = new Map<string, string>();

  constructor(init: Entries = []) {
    const entries = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of entries as Iterable<readonly [string, string]>) this.append(name, value);
  }

  append(name: string, value: string): void {
    const known = this.get(name);
    this.set(name, known === null ? value : `${known}, ${value}`);
  }

  set(name: string, value: string): void {
    this.#values.set(String(name).toLowerCase(), String(value).trim());
  }

  get(name: string): string | null {
    return this.#values.get(String(name).toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(String(name).toLowerCase());
  }

  delete(name: string): void {
    this.#values.delete(String(name).toLowerCase());
  }

  /** In the order of their names. */
  entries(): IterableIterator<[string, string]> {
    return [...this.#values].sort(([one], [other]) => (one < other ? -1 : 1)).values();
  }

  forEach(act: (value: string, name: string) => void): void {
    for (const [name, value] of this.entries()) act(value, name);
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return 'Headers';
  }
}

/** With a body that is a text, or null. */
export class Response {
  readonly #body: string | null;
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  bodyUsed = false;

  constructor(
    body: string | null,
    { status = 200, headers = [] }: { status?: number; headers?: Entries } = {},
  ) {
    this.#body = body;
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = new Headers(headers);
  }

  async text(): Promise<string> {
    if (this.bodyUsed) throw new TypeError('the body was read already');
    this.bodyUsed = true;
    return this.#body ?? '';
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  get [Symbol.toStringTag](): string {
    return 'Response';
  }
}

/** No body is one. openapi-fetch asks each whether it is. */
export class FormData {}
