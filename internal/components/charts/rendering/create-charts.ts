import { join } from 'node:path';
import { systemClock } from '../../../base/time/clock.ts';
import type { ChartRenderer } from '../../../helm/chart-renderer.ts';
import type { ChartOptions, ChartRequest, Charts } from '../../model/charts.ts';
import { assertWhole, kymaFolders } from '../sources/chart-folder.ts';
import { SourceError } from '../sources/model/source-error.ts';
import type { Workspaces } from '../sources/workspaces.ts';
import { readChartFiles } from './chart-files.ts';
import { crdObjects } from './crd-objects.ts';
import { chartValues, profileValues, type ValuesReader } from './profile-values.ts';
import { mergedValues, nestedValues, type Values } from './values.ts';
import { createYamlReader, type YamlReader } from './yaml-reader.ts';

/** The component of the step that applies CRDs has no chart. */
const ROOT = 'kyma';

/** Charts of components, from their sources, rendered as Helm does. */
export function createCharts({
  workspaces,
  renderer,
  yaml = createYamlReader({ clock: systemClock }),
}: {
  readonly workspaces: Workspaces;
  readonly renderer: Pick<ChartRenderer, 'render'>;
  /** Default: one of its own, whose thread ends when it is idle. */
  readonly yaml?: Pick<YamlReader, 'objectsOf' | 'valueOf'>;
}): Charts {
  const workspace: Charts['workspace'] = async (request, { signal }) => {
    const { folder, chart, revision } = await workspaces.open(request, signal);
    return { folder, chart, revision };
  };

  const openChart = async (request: ChartRequest, options: ChartOptions) => {
    const { chart } = await workspaces.open(request, options.signal);
    const source: ValuesReader = { files: await readChartFiles(chart), reader: yaml, ...options };
    const over: Values = mergedValues(
      await profileValues(source, request.profile),
      nestedValues(request.configuration),
    );
    return { source, over };
  };

  return {
    workspace,
    render: async (request, { signal, group, capabilities, random }) => {
      const { source, over } = await openChart(request, { signal, group });
      const { files } = source;
      const release = { name: request.component, namespace: request.namespace };
      const documents = await renderer.render(
        { files, values: over, release, ...(capabilities === undefined ? {} : { capabilities }) },
        { group, signal, random },
      );
      return await yaml.objectsOf(documents, { group, signal });
    },
    crds: async ({ version, url }, { signal, group, exclude = () => false }) => {
      const root = await workspaces.openRoot({ component: ROOT, version, url }, signal);
      const folder = join(root.folder, kymaFolders.crds);
      assertWhole(root.folder, folder, root.leftOut);
      const files = await readChartFiles(folder).catch((error: unknown) => {
        if (error instanceof SourceError) throw error;
        throw new SourceError('not-found', `the source has no folder ${kymaFolders.crds}`);
      });
      return await crdObjects(files, exclude, yaml, { signal, group });
    },
    values: async (request, options) => {
      const { source, over } = await openChart(request, options);
      return mergedValues(await chartValues(source), over);
    },
  };
}
