import type { ControlPlane } from '../../../../hack/control-planes/control-plane.ts';

/** Jest loads set-up and teardown apart from each other; what passes between them hangs on globalThis. */
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
