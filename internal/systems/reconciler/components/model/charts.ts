import type { ChartCapabilities, RandomStore } from '../../../../templates/helm/index.ts';
import type { Manifest } from './manifest.ts';
import type { Task } from './task.ts';

/** Which chart of which revision, and its values. */
export type ChartRequest = Pick<
  Task,
  'component' | 'namespace' | 'version' | 'url' | 'profile' | 'configuration'
>;

export interface ChartOptions {
  readonly signal: AbortSignal;
  /** Whose share of downloads, rendering and memory it takes. */
  readonly tenant: string;
}

export interface RenderOptions extends ChartOptions {
  /** What the chart knows of its cluster. Default: what `helm template` knows without one. */
  readonly capabilities?: ChartCapabilities | undefined;
  /** Keeps what its random functions made. Default: each rendering makes other values. */
  readonly random?: RandomStore;
}

/** A fetched revision of a source. */
export interface Workspace {
  /** The folder of the revision; charts are in `resources/<component>`, unless it has one chart of its own. */
  readonly folder: string;
  /** The folder of the component's chart. */
  readonly chart: string;
  /** The commit of a Git source, else the version that was asked for. */
  readonly revision: string;
}

/** Charts of components: fetched when they are not there, and rendered. */
export interface Charts {
  workspace(
    request: Pick<ChartRequest, 'component' | 'version' | 'url'>,
    options: ChartOptions,
  ): Promise<Workspace>;
  /** The objects of a component's chart. */
  render(request: ChartRequest, options: RenderOptions): Promise<Manifest>;
  /** The CRDs of a Kyma version (`installation/resources/crds`); without `excluded` files and folders. */
  crds(
    request: Pick<ChartRequest, 'version' | 'url'>,
    options: ChartOptions & { readonly excluded?: readonly string[] },
  ): Promise<Manifest>;
  /** values.yaml ← profile ← configuration of the component. */
  values(request: ChartRequest, options: ChartOptions): Promise<Readonly<Record<string, unknown>>>;
}
