/** Something that was started for the whole run. */
export interface Started {
  stop(): Promise<void>;
}

/** Jest loads global set-up and teardown as separate modules; they share state through globalThis. */
const KEY = Symbol.for('provider-kyma.test.control-planes');

const holder: typeof globalThis & { [KEY]?: readonly Started[] } = globalThis;

export function keepForTeardown(planes: readonly Started[]): void {
  holder[KEY] = planes;
}

export function takeForTeardown(): readonly Started[] {
  const planes = holder[KEY] ?? [];
  delete holder[KEY];
  return planes;
}
