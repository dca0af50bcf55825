import type { components } from '../../../apis/reconciler/component.openapi.gen.ts';

/** What a component reconciler is asked to do. */
export type Task = components['schemas']['Task'];
