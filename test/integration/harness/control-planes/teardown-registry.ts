import type { ControlPlane } from '../../../../hack/control-planes/control-plane.ts';

/** Jest loads global set-up and teardown as separate modules; they share state through globalThis. */
const KEY = Symbol.for('provider-kyma.test.control-planes');

const holder: typeof globalThis & { [KEY]?: readonly ControlPlane[] } = globalThis;

export function keepForTeardown(planes: readonly ControlPlane[]): void {
  holder[KEY] = planes;
}

export function takeForTeardown(): readonly ControlPlane[] {
  const planes = holder[KEY] ?? [];
  delete holder[KEY];
  return planes;
}
