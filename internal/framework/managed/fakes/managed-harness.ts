import { type Widget, type WidgetParts, widget } from '../../kube/fakes/widget.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { ManagedKind } from '../kind/managed-kind.ts';
import type { ManagedReconcilerOptions } from '../managed-controller.ts';
import { createFakeExternal, type FakeExternal, type FakeExternalBehaviour } from './fake-external.ts';
import { createKindHarness, type KindHarness } from './kind-harness.ts';

export {
  clusterWidgets,
  namespacedWidgets,
  type Widget,
  type WidgetParts,
  widget,
} from '../../kube/fakes/widget.ts';

export interface HarnessOptions {
  readonly type: ResourceType<Widget>;
  /** Default: a widget with nothing recorded. */
  readonly resource?: WidgetParts;
  readonly external?: FakeExternalBehaviour<Widget>;
  readonly kind?: Partial<ManagedKind<Widget>>;
  readonly options?: Partial<ManagedReconcilerOptions<Widget>>;
}

export interface Harness extends KindHarness<Widget> {
  readonly external: FakeExternal<Widget>;
  /** `update`, `update status`, `create secrets`, …: what was written, in order. */
  writes(): string[];
}

/** A managed reconciler for widgets on an API server in memory, with a fake external API. */
export function createHarness({
  type,
  resource,
  external: behaviour,
  kind,
  options,
}: HarnessOptions): Harness {
  const external = createFakeExternal<Widget>(behaviour);
  const harness = createKindHarness<Widget>({
    kind: { type, connector: external.connector, initializers: [], ...kind },
    resource: widget(type, resource),
    ...(options ? { options } : {}),
  });
  return {
    ...harness,
    external,
    writes: () =>
      harness.client.requests
        .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
        .map(({ verb, type: { plural }, subresource }) =>
          [verb, plural === type.plural ? '' : plural, subresource ?? ''].filter(Boolean).join(' '),
        ),
  };
}
