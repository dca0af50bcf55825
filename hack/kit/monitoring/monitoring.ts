/** `provider-kyma-kit monitoring`: dashboard and alerts of a provider that is written by hand. */
import { existsSync } from 'node:fs';
import { shellCommand } from '../../../internal/framework/base/text/shell.ts';
import { applyOutputs, collectOutputs } from '../../codegen/outputs.ts';
import { authorProject } from '../../codegen/project.ts';
import { authorMonitoringFiles } from '../../monitoring/author-monitoring.ts';
import { PROVIDER_FILE } from '../generate/read-project.ts';
import { type KitCommand, KitError, readArgs } from '../kit-command.ts';

const usage = `Usage: provider-kyma-kit monitoring --program NAME [--system NAME] [--api NAME] [--check]

Writes a dashboard for Grafana and alerts for Prometheus into package/monitoring, and a page with what to do about each alert,
docs/alerts.md. For providers that are written by hand: of ${PROVIDER_FILE} the command generate makes them.

  --program  \`program\` of createProvider, by whose metric the targets are known
  --system   \`system\` of createApiSessions, for alerts on requests to the external API
  --api      name of that API, for people; default: that of --system
  --check    write nothing; exit with 1 if a file is not current`;

const options = {
  program: { type: 'string' },
  system: { type: 'string' },
  api: { type: 'string' },
  check: { type: 'boolean', default: false },
} as const;

export const monitoringCommand: KitCommand = {
  usage,
  run: async (args) => {
    const { program, system, api = system ?? '', check } = readArgs(usage, { args, options }).values;
    if (existsSync(PROVIDER_FILE))
      throw new KitError(`cannot write the monitoring: generate makes it of ${PROVIDER_FILE}`);
    if (program === undefined) throw new KitError(`--program is missing\n\n${usage}`);
    for (const name of [program, system ?? 'none'])
      if (!/^[a-z][a-z0-9._-]*$/.test(name))
        throw new KitError(
          `cannot write the monitoring: ${name} is not lower-case letters, digits, dots and dashes`,
        );
    const words = Object.entries({ program, system, api: system && api }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    );
    const project = {
      ...authorProject(process.cwd()),
      generator: 'provider-kyma-kit monitoring',
      command: shellCommand('npx', 'provider-kyma-kit', 'monitoring', ...words),
    };
    const { outputs, put } = collectOutputs(project);
    for (const { path, text } of authorMonitoringFiles({ program, api, system }))
      put(path, 'the metrics of the framework', text);
    return applyOutputs(project, outputs, { check });
  },
};
