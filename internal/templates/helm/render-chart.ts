import { createSecureRandom, type Random } from '../../framework/base/random.ts';
import { type Clock, systemClock } from '../../framework/base/time/clock.ts';
import {
  type Budget,
  type CallContext,
  createBudget,
  dict,
  fromBytes,
  GoMap,
  int,
  isCompatible,
  type TemplateLimits,
} from '../gotemplate/index.ts';
import type { Chart, NamedFile } from './chart/chart.ts';
import { coalesceValues } from './chart/coalesce.ts';
import { processDependencies } from './chart/dependencies.ts';
import { loadChart } from './chart/load-chart.ts';
import { createCapabilities, defaultKubeVersion, parseKubeVersion } from './engine/capabilities.ts';
import { valuesOf } from './engine/collect-templates.ts';
import { RandomRecord } from './engine/random-functions.ts';
import { renderTemplates } from './engine/render-templates.ts';
import {
  CHART_LIMITS,
  HelmError,
  type RandomValues,
  type RenderedDocument,
  type RenderRequest,
} from './render-request.ts';
import { validateValues } from './schema/validate-schema.ts';
import { type Manifest, sortManifests, splitManifests } from './sort-manifests.ts';
import { toValue } from './values/tables.ts';

export interface RenderOptions {
  /** Default: `CHART_LIMITS`. */
  readonly limits?: Partial<TemplateLimits>;
  /** What the rendering is charged to, in place of a budget with `limits` of its own. */
  readonly budget?: Budget;
  /** For the time limit, and functions of time. Default: the system's. */
  readonly clock?: Clock;
  /** For functions of random values. Default: numbers that cannot be predicted, since charts make passwords. */
  readonly random?: Random;
  /**
   * What random functions of the chart made before. Default: nothing is recorded. `'unknown'`: a chart that has a use for it throws
   * RandomValuesWanted.
   */
  readonly recorded?: RandomValues | 'unknown';
}

/** What a chart renders to. */
export interface RenderedChart {
  /** Files of the folders `crds/`, as they are. */
  readonly crds: readonly { readonly source: string; readonly text: string }[];
  readonly manifests: readonly Manifest[];
  /** What random functions made. Undefined: nothing, or nothing was to be recorded. */
  readonly made?: RandomValues | undefined;
}

/**
 * Renders a chart in this thread.
 *
 * @throws HelmError if Helm refuses the chart or its values, TemplateLimitError, RandomValuesWanted
 */
export function renderChart(request: RenderRequest, options: RenderOptions = {}): RenderedChart {
  const { limits, clock = systemClock, random = createSecureRandom(), recorded } = options;
  const { budget = createBudget({ ...CHART_LIMITS, ...limits }, clock) } = options;
  const context: CallContext = { budget, clock, random };
  const chart = loadChart(request.files, budget);
  checkInstallable(chart, request.release.name);
  const values = toValue(request.values);
  const given = values instanceof GoMap ? values : dict();
  processDependencies(chart, given);
  const { capabilities = {}, includeCrds = true } = request;
  const kubeVersion =
    capabilities.kubeVersion === undefined
      ? defaultKubeVersion()
      : parseKubeVersion(capabilities.kubeVersion);
  const all = coalesceValues(chart, given);
  validateValues(chart, all, budget);
  const data = dict([
    ['Values', valuesOf(all)],
    ['Release', releaseValue(request.release)],
    ['Capabilities', createCapabilities(kubeVersion, capabilities.apiVersions)],
  ]);
  checkKubeVersion(chart, kubeVersion.normalized, kubeVersion.full);
  const record = new RandomRecord(recorded);
  const outputs = [...renderTemplates(chart, data, context, record)].filter(
    ([path]) => !path.endsWith('NOTES.txt'),
  );
  const manifests = sortManifests(new Map(outputs), budget);
  return { crds: includeCrds ? crdsOf(chart) : [], manifests, made: record.made() };
}

/** The text that `helm template` prints. */
export function manifestText({ crds, manifests }: RenderedChart): string {
  const text = [...crds, ...manifests]
    .map(({ source, text }) => `---\n# Source: ${source}\n${text}\n`)
    .join('');
  return `${text.trim()}\n`;
}

/**
 * The documents, those of files with several CRDs apart. Each ends with a line break more, as Helm writes them before they are
 * parsed: a block scalar at the end keeps its own.
 */
export const documentsOf = ({ crds, manifests }: RenderedChart): RenderedDocument[] => [
  ...crds.flatMap(({ source, text }) =>
    splitManifests(text).map((document) => ({ source, text: `${document}\n` })),
  ),
  ...manifests.map(({ source, text }) => ({ source, text: `${text}\n` })),
];

const RELEASE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_RELEASE_NAME = 53;

function checkInstallable(chart: Chart, releaseName: string): void {
  if (!['', 'application'].includes(chart.metadata.type)) {
    throw new HelmError(`${chart.metadata.type} charts are not installable`);
  }
  const missing = chart.requirements.filter(
    ({ name }) => !chart.dependencies.some((dependency) => dependency.name === name),
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    throw new HelmError(
      `an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: ${names}`,
    );
  }
  if (releaseName.length > MAX_RELEASE_NAME || !RELEASE_NAME.test(releaseName)) {
    throw new HelmError(
      `release name check failed: invalid release name, must match regex ${RELEASE_NAME.source} and the length must not be longer than ${MAX_RELEASE_NAME}`,
    );
  }
}

function checkKubeVersion({ metadata }: Chart, normalized: string, full: string): void {
  if (metadata.kubeVersion === '' || isCompatible(metadata.kubeVersion, normalized)) return;
  throw new HelmError(
    `chart requires kubeVersion: ${metadata.kubeVersion} which is incompatible with Kubernetes ${full}`,
  );
}

const releaseValue = ({ name, namespace, isUpgrade = false }: RenderRequest['release']): GoMap =>
  dict([
    ['Name', name],
    ['Namespace', namespace],
    ['IsUpgrade', isUpgrade],
    ['IsInstall', !isUpgrade],
    ['Revision', int(1)],
    ['Service', 'Helm'],
  ]);

function crdsOf(chart: Chart): { source: string; text: string }[] {
  const isCrd = ({ name }: NamedFile) => name.startsWith('crds/') && /\.(ya?ml|json)$/i.test(name);
  return [
    ...chart.files
      .filter(isCrd)
      .map(({ name, data }) => ({ source: `${chart.fullPath}/${name}`, text: fromBytes(data) })),
    ...chart.dependencies.flatMap(crdsOf),
  ];
}
