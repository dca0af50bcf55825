import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../../../../framework/base/index.ts';

import type { KubeObject } from '../../../../../framework/kube/index.ts';
import type { ChartOptions, ChartRequest, Charts, Manifest } from '../../model/component.ts';
import { assertWhole, kymaFolders } from '../sources/chart-folder.ts';
import { SourceError } from '../sources/chart-source.ts';
import type { Workspaces } from '../sources/workspaces.ts';
import type { ChartJobs, ChartValue } from './chart-jobs.ts';

/** The component of the step that applies CRDs has no chart. */
const ROOT = 'kyma';

/** Charts of components, from their sources, rendered as Helm does. */
export function createCharts({
  workspaces,
  jobs,
}: {
  readonly workspaces: Workspaces;
  readonly jobs: Pick<ChartJobs, 'run'>;
}): Charts {
  const open = async (
    { component, version, url }: Pick<ChartRequest, 'component' | 'version' | 'url'>,
    { tenant, signal }: ChartOptions,
  ) => await workspaces.open({ component, version, url, tenant }, signal);
  const chartOf = async (request: ChartRequest, options: ChartOptions) => {
    const { chart } = await open(request, options);
    const { profile, configuration } = request;
    return { chart, profile, configuration };
  };

  return {
    workspace: async (request, options) => {
      const { folder, chart, revision } = await open(request, options);
      return { folder, chart, revision };
    },
    render: async (request, options) => {
      const chart = await chartOf(request, options);
      const release = { name: request.component, namespace: request.namespace };
      const { capabilities } = options;
      return manifestOf(await jobs.run({ make: 'objects', ...chart, release, capabilities }, options));
    },
    crds: async ({ version, url }, options) => {
      const { tenant, signal } = options;
      const root = await workspaces.openRoot({ component: ROOT, version, url, tenant }, signal);
      const folder = join(root.folder, kymaFolders.crds);
      assertWhole(root.folder, folder, root.leftOut);
      await stat(folder).catch(() => {
        throw new SourceError('not-found', `the source has no folder ${kymaFolders.crds}`);
      });
      return manifestOf(await jobs.run({ make: 'definitions', folder }, options));
    },
    values: async (request, options) => {
      const chart = await chartOf(request, options);
      const [made] = await jobs.run({ make: 'values', ...chart }, options);
      return isObject(made?.value) ? made.value : {};
    },
  };
}

/** A job makes only objects of Kubernetes. */
const manifestOf = (values: readonly ChartValue[]): Manifest =>
  values.map(({ source, value }) => ({ source, object: value as KubeObject }));
