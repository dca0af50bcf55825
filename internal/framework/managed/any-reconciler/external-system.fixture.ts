import type { Widget } from '../../kube/fakes/widget.ts';
import type { ReconcileContext } from '../kind/external-client.ts';

/** An external system with at most one external resource for a widget. The same for every reconciler. */
export interface ExternalSystem {
  observe(widget: Widget, ctx: ReconcileContext): Promise<Found>;
  create(widget: Widget, ctx: ReconcileContext): Promise<void>;
  /** Deletes the external resource that the widget records. */
  delete(widget: Widget, ctx: ReconcileContext): Promise<void>;
}

export interface Found {
  /** `drifted` and `renamed` need a replacement: another size, or another name than the recorded one. */
  readonly state: 'absent' | 'pending' | 'settled' | 'drifted' | 'renamed';
  /** The external name that the spec describes. */
  readonly name: string;
}

/** Until a pending operation is observed again, in ms. */
export const PENDING_MS = 5000;

/** A system that keeps a size. Its calls can be counted, delayed and refused. */
export interface FakeSystem extends ExternalSystem {
  /** The size of the external resource; undefined: there is none. */
  size: number | undefined;
  readonly calls: Verb[];
  /** Called before each call takes effect; an error is the response. Default: nothing. */
  before: (verb: Verb, ctx: ReconcileContext) => Promise<void> | void;
}
type Verb = keyof ExternalSystem;

export const sizeOf = ({ spec }: Widget): number => spec.forProvider.size ?? 0;

export function createFakeSystem(size?: number): FakeSystem {
  const call = async (verb: Verb, ctx: ReconcileContext) => {
    system.calls.push(verb);
    await system.before(verb, ctx);
  };
  const system: FakeSystem = {
    size,
    calls: [],
    before: () => undefined,
    observe: async (widget, ctx) => {
      await call('observe', ctx);
      const state =
        system.size === undefined ? 'absent' : system.size === sizeOf(widget) ? 'settled' : 'drifted';
      return { state, name: 'x' };
    },
    create: async (widget, ctx) => {
      await call('create', ctx);
      system.size = sizeOf(widget);
    },
    delete: async (_, ctx) => {
      await call('delete', ctx);
      system.size = undefined;
    },
  };
  return system;
}
