import type { Metrics } from './telemetry.ts';

/** Which build of a program runs. */
export interface BuildInfo {
  readonly version: string;
  /** Commit of its sources; empty if it is not known. */
  readonly revision: string;
}

/**
 * Of this program. A bundler replaces the variables by those of the build; unbundled code takes them from its environment, and is the
 * version `dev` without them.
 */
export const buildInfo: BuildInfo = {
  version: process.env.PROGRAM_VERSION ?? 'dev',
  revision: process.env.PROGRAM_REVISION ?? '',
};

/** `provider_notes_build_info` for `provider-notes`. */
export const buildInfoMetric = (program: string): string =>
  `${program.replaceAll(/[^a-zA-Z0-9]+/g, '_')}_build_info`;

/**
 * The metric by which monitoring knows the targets of a program, and which builds of it run.
 *
 * @param program e.g. `provider-notes`
 */
export function reportBuildInfo(
  metrics: Pick<Metrics, 'gauge'>,
  program: string,
  { version, revision }: BuildInfo = buildInfo,
): void {
  const gauge = metrics.gauge({
    name: buildInfoMetric(program),
    help: '1, with version and commit of the program, and the version of Node, as labels.',
    labels: ['version', 'revision', 'node_version'],
  });
  gauge.set(1, { version, revision, node_version: process.versions.node });
}
