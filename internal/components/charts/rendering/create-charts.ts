import { join } from 'node:path';
import type { ChartRenderer } from '../../../helm/chart-renderer.ts';
import type { ChartRequest, Charts } from '../../model/charts.ts';
import { assertWhole, kymaFolders } from '../sources/chart-folder.ts';
import { SourceError } from '../sources/model/source-error.ts';
import type { Workspaces } from '../sources/workspaces.ts';
import { readChartFiles } from './chart-files.ts';
import { crdObjects } from './crd-objects.ts';
import { objectsOf } from './manifest-objects.ts';
import { chartValues, profileValues } from './profile-values.ts';
import { mergedValues, nestedValues, type Values } from './values.ts';

/** The component of the step that applies CRDs has no chart. */
const ROOT = 'kyma';

/** Charts of components, from their sources, rendered as Helm does. */
export function createCharts({
  workspaces,
  renderer,
}: {
  readonly workspaces: Workspaces;
  readonly renderer: Pick<ChartRenderer, 'render'>;
}): Charts {
  const workspace: Charts['workspace'] = async (request, { signal }) => {
    const { folder, chart, revision } = await workspaces.open(request, signal);
    return { folder, chart, revision };
  };

  const openChart = async (request: ChartRequest, signal: AbortSignal) => {
    const { chart } = await workspaces.open(request, signal);
    const files = await readChartFiles(chart);
    const over: Values = mergedValues(
      profileValues(files, request.profile),
      nestedValues(request.configuration),
    );
    return { files, over };
  };

  return {
    workspace,
    render: async (request, { signal, group, capabilities }) => {
      const { files, over } = await openChart(request, signal);
      const release = { name: request.component, namespace: request.namespace };
      const documents = await renderer.render(
        { files, values: over, release, ...(capabilities === undefined ? {} : { capabilities }) },
        { group, signal },
      );
      return documents.flatMap(({ source, text }) => objectsOf(text, source));
    },
    crds: async ({ version, url }, { signal, exclude = () => false }) => {
      const root = await workspaces.openRoot({ component: ROOT, version, url }, signal);
      const folder = join(root.folder, kymaFolders.crds);
      assertWhole(root.folder, folder, root.leftOut);
      const files = await readChartFiles(folder).catch((error: unknown) => {
        if (error instanceof SourceError) throw error;
        throw new SourceError('not-found', `the source has no folder ${kymaFolders.crds}`);
      });
      return crdObjects(files, exclude);
    },
    values: async (request, { signal }) => {
      const { files, over } = await openChart(request, signal);
      return mergedValues(chartValues(files), over);
    },
  };
}
